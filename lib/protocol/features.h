// What a client says in its Node about what it understands: the client features that change how resources are sent.
#pragma once

#include <string_view>

namespace xdscope::protocol {

struct Features {
  bool wrapping = false;  // resources of SotW may come in wrappers
  bool ttl = false;       // resources may have a time to live
};

// Reads a serialized Node, whatever is in it. All spellings that are about count (K9).
Features FeaturesOf(std::string_view node);

}  // namespace xdscope::protocol
