// JSON as a Value, by RapidJSON: hundreds of megabytes a second, so that the /config_dump of a large proxy is read as
// well. For document.cc.
#pragma once

#include "lib/config/document.h"

namespace xdscope::config {

// As ParseDocument(), for JSON alone. Comments and trailing commas are refused.
absl::StatusOr<Value> ParseJson(std::string_view text, std::string_view file);

}  // namespace xdscope::config
