// YAML as a Value. For document.cc.
#pragma once

#include "lib/config/document.h"

namespace xdscope::config {

// As ParseDocument(), for YAML alone.
absl::StatusOr<Value> ParseYaml(std::string_view text, std::string_view file);

}  // namespace xdscope::config
