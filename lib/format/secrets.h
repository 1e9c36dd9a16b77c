// What must not be shown, where a walk stands: which fields, keys and bytes are hidden. One policy for every format,
// the binary one too. Knows where secrets are, not what is shown in their place. [validation.md 3.1]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// What stands in the place of hidden text and bytes; hidden numbers and the like are left out, as Envoy does.
inline constexpr std::string_view kRedacted = "[redacted]";

// What a walk over a resource knows of where it stands: what is hidden there, and how deep that is.
struct WalkState {
  bool hidden = false;      // below a sensitive field
  bool in_secret = false;   // inside an SDS Secret
  bool spells_map = false;  // `spells` is the entry of a map whose keys and values the Struct has
  std::uint8_t any_depth = 0;
  std::uint16_t depth = 0;             // messages around it, through every Any
  const wire::Type* spells = nullptr;  // the message that a Struct stands for here, inside a TypedStruct

  // Returns true when bytes that nobody can read as fields may be shown.
  bool shows_raw() const { return !hidden && !in_secret; }
};

class Secrets {
 public:
  // Hides nothing anywhere when `show` is set.
  Secrets(wire::Types& types, bool show) : types_(types), show_(show) {}

  // Returns the state inside a message that stands at `state`.
  WalkState Inside(const wire::View& message, WalkState state) const {
    ++state.depth;
    if (!show_ && IsSecretType(message.type().full_name())) state.in_secret = true;
    return state.spells == nullptr ? state : InsideSpelled(message, state);
  }
  // Returns the state of the values of a field of `parent`; `state` is the one inside `parent`.
  WalkState Below(const wire::View& parent, const wire::Field& field, WalkState state) {
    const bool usual =
        field.sensitive == wire::Sensitive::kNo && parent.type().well_known() != wire::WellKnown::kTypedStruct;
    return usual || show_ || state.hidden ? state : BelowUnusual(parent, field, state);
  }
  // Returns the state of the member `key` of a google.protobuf.Struct; `state` is the one inside the Struct.
  WalkState BelowKey(const wire::View& structure, std::string_view key, WalkState state);

  // Returns false where messages stand so deep in one another that no further one is opened: our stack ends somewhere.
  static bool MayOpen(WalkState state);
  // Tells whether the bytes of a message that cannot be opened may be shown.
  bool ShowsUnopened(std::string_view type_url, WalkState state) const;

  // Returns true when a hidden value has nothing that could be shown: numbers, and messages that stand for one.
  static bool Vanishes(const wire::Value& value);
  static bool Vanishes(const wire::View& message);

 private:
  bool IsSecretKey(std::string_view key);
  static bool IsSecretType(std::string_view full_name) {
    return full_name == "envoy.extensions.transport_sockets.tls.v3.Secret" || full_name == "envoy.api.v2.auth.Secret";
  }
  static bool Holds(const wire::Type& type, int levels);
  WalkState InsideSpelled(const wire::View& message, WalkState state) const;
  WalkState BelowUnusual(const wire::View& parent, const wire::Field& field, WalkState state);
  WalkState BelowSpelled(const wire::View& structure, std::string_view key, WalkState state);

  wire::Types& types_;
  bool show_;
  absl::flat_hash_map<std::string, bool> keys_;  // answers of wire::IsSecretKey()
};

}  // namespace xdscope::format
