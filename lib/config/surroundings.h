// How readers of settings reach what a settings file refers to. The caller owns files and environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/status.h"

namespace xdscope::config {

struct Surroundings {
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
  std::function<std::optional<std::string>(std::string_view name)> environment;
};

}  // namespace xdscope::config
