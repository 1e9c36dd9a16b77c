// What the protocol must know of a resource type, for a client's half of a stream and for a server's. Rows of facts;
// which types exist is lib/types' business.
#pragma once

#include <string_view>

namespace xdscope::protocol {

// What the protocol must know of a type; handed in by whoever knows types.
struct TypeTraits {
  // LDS, CDS: a SotW response holds everything wanted, what is missing is gone (B.1-9).
  bool full_state = false;
  // The name that a payload says itself, a view into it; nullptr: none is looked for.
  std::string_view (*name_of)(std::string_view payload) = nullptr;
  // VHDS, LEDS: the wrapper alone names a resource (XDS-S014, S017).
  bool named_by_wrapper = false;
  // VHDS, LEDS: there is no SotW method (XDS-S037).
  bool delta_only = false;
  // VHDS: names are asked for by alias, and an entry without payload answers one; it is never a heartbeat (K3).
  bool on_demand = false;
  // A type of the registry: a resource without a name is a fault (XDS-S014). An unknown type may have unnamed ones.
  bool known = false;
  // The type URL of the same kind in the other API version, where there is one (XDS-S010).
  std::string_view other_version;
};

}  // namespace xdscope::protocol
