#include "lib/base/status.h"

#include <fmt/format.h>

namespace xdscope::base {

absl::Status Prefix(const absl::Status& status, std::string_view where) {
  if (status.ok()) return status;
  return Error(status.code(), fmt::format("{}: {}", where, Message(status)));
}

}  // namespace xdscope::base
