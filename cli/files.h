// Files named on the command line.
#pragma once

#include <string>

#include "lib/base/status.h"

namespace xdscope::cli {

// The whole file. INVALID_ARGUMENT with the system's reason (not the name): it cannot be read, is a folder.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace xdscope::cli
