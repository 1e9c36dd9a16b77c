// What must not be shown, where a walk stands: which fields, keys and bytes are hidden. One policy for every format,
// the binary one too. Knows where secrets are, not what is shown in their place. [validation.md 3.1]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "lib/wire/secret_names.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// What stands in the place of hidden text and bytes; hidden numbers and the like are left out, as Envoy does.
inline constexpr std::string_view kRedacted = "[redacted]";

// What a walk over a resource knows of where it stands: what is hidden there, and how deep that is.
struct WalkState {
  // Inside an SDS Secret everything is hidden but what the tables say is public.
  enum class Place : std::uint8_t { kOutside, kInSecret, kPublicInSecret };

  bool hidden = false;  // below a sensitive field
  Place place = Place::kOutside;
  bool labelled_secret = false;  // in a message whose Label names a secret
  bool spells_map = false;       // `spells` is the entry of a map whose keys and values the Struct has
  std::uint8_t any_depth = 0;
  std::uint16_t depth = 0;                // messages around it, through every Any
  const wire::Type* spells = nullptr;     // the message that a Struct stands for here, inside a TypedStruct
  const wire::Type* spells_in = nullptr;  // where that is a TypedStruct itself: what its `value` stands for
};

class Secrets {
 public:
  // Hides nothing anywhere when `show` is set.
  Secrets(wire::Types& types, bool show) : types_(types), show_(show) {}

  // Returns the state of a resource in a response of this type: all that comes as a Secret counts as one, whatever its
  // own type.
  WalkState InResponse(std::string_view type_url) const;
  // Returns the state inside a message that stands at `state`.
  WalkState Inside(const wire::View& message, WalkState state) {
    ++state.depth;
    state.labelled_secret = false;
    const bool usual = !message.type().is_secret() && !message.type().label().exists() && state.spells == nullptr;
    return usual || show_ ? state : InsideUnusual(message, state);
  }
  // Returns the state of a message that an Any at `state` holds.
  WalkState InsideAny(const wire::View& message, WalkState state) const;
  // Returns the state of the values of a field of `parent`; `state` is the one inside `parent`.
  WalkState Below(const wire::View& parent, const wire::Field& field, WalkState state) const {
    const bool usual = field.sensitive == wire::Sensitive::kNo && state.place == WalkState::Place::kOutside &&
                       parent.type().well_known() != wire::WellKnown::kTypedStruct;
    return usual || show_ || state.hidden ? state : BelowUnusual(parent, field, state);
  }
  // Returns the state of the value under `key` of a field that is a map (a Struct's too); `state` is that of the field.
  WalkState BelowKey(const wire::Field& map, std::string_view key, WalkState state) {
    const bool usual = map.sensitive != wire::Sensitive::kByEntry;
    return usual || show_ || state.hidden ? state : BelowSecretKey(key, state);
  }

  // Returns false where messages stand so deep in one another that no further one is opened: our stack ends somewhere.
  static bool MayOpen(WalkState state);
  // Tells whether the bytes of a message that cannot be opened may be shown.
  bool ShowsUnopened(std::string_view type_url, WalkState state) const;
  // Tells whether the unknown fields of a message may be shown; `state` is the one inside it.
  bool ShowsUnknown(const wire::View& message, WalkState state) const {
    return show_ || (ShowsRaw(state) && !state.labelled_secret && !message.type().guards_unknown());
  }

  // Returns true for the field of a TypedStruct that says its type: that is shown wherever it stands.
  static bool NamesType(const wire::View& parent, const wire::Field& field) {
    return parent.type().well_known() == wire::WellKnown::kTypedStruct && field.kind == wire::FieldKind::kString;
  }
  // Returns true when a hidden value has nothing that could be shown: numbers, and messages that stand for one.
  static bool Vanishes(const wire::Value& value);
  static bool Vanishes(const wire::View& message);

 private:
  static bool ShowsRaw(WalkState state) { return !state.hidden && state.place == WalkState::Place::kOutside; }
  static WalkState BelowField(const wire::Field& field, WalkState state);
  WalkState InsideUnusual(const wire::View& message, WalkState state);
  WalkState InsideSpelled(const wire::View& structure, WalkState state);
  WalkState BelowUnusual(const wire::View& parent, const wire::Field& field, WalkState state) const;
  WalkState BelowSecretKey(std::string_view key, WalkState state);
  WalkState BelowSpelled(std::string_view key, WalkState state);
  bool IsLabelledSecret(const wire::View& message);
  bool IsLabelledSecret(const wire::View& structure, const wire::Type& spelled);
  bool NamesSecret(const wire::Label& label, std::string_view text);
  wire::KeySecrecy SecrecyOf(std::string_view key);
  bool IsSecretKey(std::string_view key) { return SecrecyOf(key) == wire::KeySecrecy::kSecret; }

  wire::Types& types_;
  bool show_;
  absl::flat_hash_map<std::string, wire::KeySecrecy> keys_;  // answers of wire::SecrecyOfKey()
};

}  // namespace xdscope::format
