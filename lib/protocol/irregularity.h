// What a server got wrong on a stream, as data: which rule of reference/protocol.md, how bad, in words, and where.
// Never a reason to refuse the bytes; whoever judges the response may make it one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xdscope::protocol {

enum class Severity : std::uint8_t { kInfo, kWarning, kError };

struct Irregularity {
  std::string_view rule;  // "XDS-S016"; a constant
  Severity severity = Severity::kError;
  std::string message;           // lower case, a fact
  std::string resource;          // the name it is about; empty: the response as a whole, or an entry without a name
  std::size_t entry = kNoEntry;  // which of Response::resources it is about, where it is about one

  static constexpr std::size_t kNoEntry = static_cast<std::size_t>(-1);
};

}  // namespace xdscope::protocol
