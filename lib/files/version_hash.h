// The version of several resources together: the same exactly when their names and versions are, in this run and in
// others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace xdscope::files {

// A hash over names and versions that is the same in every run, so that the same content has the same version after a
// restart too.
class VersionHash {
 public:
  void Add(std::string_view text) {
    for (const char c : text) Add(static_cast<unsigned char>(c));
    Add(0xFF);  // in no UTF-8 text
  }
  std::string Hex() const { return fmt::format("{:016x}", state_); }

 private:
  void Add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3U; }
  std::uint64_t state_ = 0xCBF29CE484222325U;  // FNV-1a
};

}  // namespace xdscope::files
