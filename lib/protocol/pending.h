// A response that waits for its verdict: what each of its entries means for the names, worked out when it came. Its
// views look into the response's own bytes, which it keeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/protocol/response.h"

namespace xdscope::protocol {

// A moment as the caller counts them, since any beginning he likes. The protocol has no clock.
using Moment = std::chrono::nanoseconds;

struct Pending {
  enum class Meaning : std::uint8_t { kResource, kHeartbeat, kAbsent, kNothing };
  struct Entry {
    std::string_view name;  // normal form; empty: nothing names it
    std::string_view version;
    Meaning meaning = Meaning::kNothing;
    std::optional<std::chrono::nanoseconds> ttl = {};
  };
  struct Alias {
    std::string_view alias;
    std::string_view name;
    bool resolved = false;  // the entry has a payload
  };

  ResponseId id{};
  Bytes bytes;  // what the views look into, but for names that had to be brought into normal form
  std::deque<std::string> normal_forms;
  Moment arrived{};
  std::string_view version;
  std::string_view nonce;
  std::vector<Entry> entries;  // in the order of Response::resources
  std::vector<Alias> aliases;
  std::vector<std::string_view> removed;
  std::vector<ResourceError> errors;
};

}  // namespace xdscope::protocol
