// What is wrong with a command line, as a Status.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::cli {

// Makes INVALID_ARGUMENT, "WHERE: what".
inline absl::Status UsageError(std::string_view where, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", where, what));
}

}  // namespace xdscope::cli
