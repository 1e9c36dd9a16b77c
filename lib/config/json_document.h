// JSON by the letter as a Value. For document.cc, and for single values on the command line.
#pragma once

#include "lib/config/document.h"

namespace xdscope::config {

// As ParseDocument(), for JSON alone. Comments, trailing commas and whatever else JSON does not have are refused.
absl::StatusOr<Value> ParseJson(std::string_view text, std::string_view file);

}  // namespace xdscope::config
