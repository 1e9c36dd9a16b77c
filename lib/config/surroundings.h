// How readers of settings reach what a settings file refers to. The caller owns files and environment.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/status.h"

namespace xdscope::config {

// What a settings file, a certificate or a key may have at most, in bytes.
inline constexpr std::size_t kMostOfFile = 64 << 20;

struct Surroundings {
  // Reads a file of at most `most` bytes.
  std::function<absl::StatusOr<std::string>(const std::string& path, std::size_t most)> read_file;
  std::function<std::optional<std::string>(std::string_view name)> environment;
};

}  // namespace xdscope::config
