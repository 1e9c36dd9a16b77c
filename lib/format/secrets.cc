#include "lib/format/secrets.h"

#include <algorithm>

#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/wire/message.h"
#include "lib/wire/sensitive.h"

namespace xdscope::format {
namespace {

using wire::FieldKind;
using wire::Sensitive;
using wire::WellKnown;
using Place = WalkState::Place;

bool IsText(FieldKind kind) {
  return kind == FieldKind::kString || kind == FieldKind::kBytes;
}

// Returns the text of a member of a Struct, under either name of a field; empty when there is none or it is no text.
std::string_view TextMember(const wire::View& structure, std::string_view name, std::string_view json_name) {
  for (const wire::Fields fields(structure); const wire::Present& present : fields.known()) {
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      const std::string_view key = entry.key.bytes;
      if (key == name || key == json_name) return entry.value.AsMessage().GetText(3U);
    }
  }
  return {};
}

// Returns true for the types of messages that are one value.
bool IsOneValue(WellKnown known) {
  switch (known) {
    case WellKnown::kNone:
    case WellKnown::kAny:
    case WellKnown::kTypedStruct:
    case WellKnown::kEmpty:
      return false;
    default:
      return true;
  }
}

bool IsOneValue(const wire::Field& field) {
  const wire::Field& value = field.map ? *field.message().Find(2U) : field;
  return value.kind != FieldKind::kMessage || IsOneValue(value.message().well_known());
}

}  // namespace

WalkState Secrets::InResponse(std::string_view type_url) const {
  WalkState state;
  if (!show_ && wire::IsSecretType(base::MessageName(type_url))) state.place = Place::kInSecret;
  return state;
}

WalkState Secrets::InsideAny(const wire::View& message, WalkState state) const {
  ++state.any_depth;
  if (state.place == Place::kInSecret && IsOneValue(message.type().well_known())) state.hidden = true;
  return state;
}

WalkState Secrets::InsideUnusual(const wire::View& message, WalkState state) {
  if (message.type().is_secret()) state.place = Place::kInSecret;
  if (message.type().label().exists()) state.labelled_secret = IsLabelledSecret(message);
  const bool spelled = state.spells != nullptr && message.type().well_known() == WellKnown::kStruct;
  return spelled ? InsideSpelled(message, state) : state;
}

// Finds out what the Struct says of the message that it spells: a Struct that spells an Any spells the message that its
// "@type" names. To look for such a member takes the whole Struct, so it is done once on the way in and not for each
// key.
WalkState Secrets::InsideSpelled(const wire::View& structure, WalkState state) {
  if (state.spells_map) return state;
  constexpr std::string_view kType = "@type";
  if (state.spells->well_known() == WellKnown::kAny) state.spells = types_.Find(TextMember(structure, kType, kType));
  if (state.spells == nullptr) return state;
  if (state.spells->is_secret()) state.place = Place::kInSecret;
  state.labelled_secret = IsLabelledSecret(structure, *state.spells);
  const bool typed_struct = state.spells->well_known() == WellKnown::kTypedStruct;
  state.spells_in = typed_struct ? types_.Find(TextMember(structure, "type_url", "typeUrl")) : nullptr;
  return state;
}

// What is sensitive stays hidden in a Secret too, though its number be public there.
WalkState Secrets::BelowField(const wire::Field& field, WalkState state) {
  const bool labelled = field.sensitive == Sensitive::kByLabel && state.labelled_secret;
  if (field.sensitive == Sensitive::kYes || labelled) state.hidden = true;
  if (state.place == Place::kInSecret && field.public_in_secret) state.place = Place::kPublicInSecret;
  if (state.place == Place::kInSecret && IsOneValue(field)) state.hidden = true;
  if (field.sensitive == Sensitive::kOfSecrets && state.labelled_secret) state.place = Place::kInSecret;
  return state;
}

WalkState Secrets::BelowUnusual(const wire::View& parent, const wire::Field& field, WalkState state) const {
  state = BelowField(field, state);
  if (parent.type().well_known() == WellKnown::kTypedStruct && field.kind == FieldKind::kMessage) {
    state.spells = types_.Find(parent.GetText("type_url"));
    state.spells_map = false;
  }
  return state;
}

WalkState Secrets::BelowSecretKey(std::string_view key, WalkState state) {
  if (state.spells != nullptr) return BelowSpelled(key, state);
  if (IsSecretKey(key)) state.hidden = true;
  return state;
}

// Reads the Struct as the JSON form of the message it spells: its keys are fields, which say themselves what is secret,
// or those of a map.
WalkState Secrets::BelowSpelled(std::string_view key, WalkState state) {
  const wire::Type& type = *state.spells;
  const bool in_map = state.spells_map;
  const wire::Field* field = in_map ? type.Find(2U) : type.Find(key);
  state.spells = nullptr;
  state.spells_map = false;
  const bool by_key = field == nullptr || (in_map && IsOneValue(*field));
  if (by_key && IsSecretKey(key)) state.hidden = true;
  if (field == nullptr) {
    if (state.place == Place::kInSecret && key != "@type") state.hidden = true;
    return state;
  }
  state = BelowField(*field, state);
  if (field->kind != FieldKind::kMessage) return state;
  state.spells = type.well_known() == WellKnown::kTypedStruct ? state.spells_in : &field->message();
  state.spells_map = field->map;
  return state;
}

bool Secrets::MayOpen(WalkState state) {
  return state.any_depth < wire::kMaxAnyDepth && state.depth < wire::kMaxOpenDepth;
}

// Of a type that the schema does not have nobody can say what it holds: its bytes are all there is to see.
bool Secrets::ShowsUnopened(std::string_view type_url, WalkState state) const {
  if (show_) return true;
  if (!ShowsRaw(state) || !MayOpen(state)) return false;
  const wire::Type* type = types_.Find(type_url);
  return type == nullptr ? !wire::IsSecretType(base::MessageName(type_url)) : !types_.MayHoldSecrets(*type);
}

bool Secrets::Vanishes(const wire::Value& value) {
  if (value.field->kind == FieldKind::kMessage) return Vanishes(value.AsMessage());
  return !IsText(value.field->kind);
}

bool Secrets::Vanishes(const wire::View& message) {
  switch (message.type().well_known()) {
    case WellKnown::kDuration:
    case WellKnown::kTimestamp:
      return true;
    case WellKnown::kWrapper:
      return !IsText(message.type().fields().front().kind);
    case WellKnown::kValue: {
      const wire::Fields fields(message);
      return fields.known().empty() || !(fields.known().front().field->kind == FieldKind::kString ||
                                         fields.known().front().field->kind == FieldKind::kMessage);
    }
    default:
      return false;
  }
}

// Returns true where the text to which a message's Label leads names a secret.
bool Secrets::NamesSecret(const wire::Label& label, std::string_view text) {
  return label.is_type ? wire::IsSecretType(base::MessageName(text)) : SecrecyOf(text) != wire::KeySecrecy::kHarmless;
}

bool Secrets::IsLabelledSecret(const wire::View& message) {
  const wire::Label& label = message.type().label();
  std::string_view text = message.bytes();
  for (const std::uint8_t number : label.path) {
    if (number != 0) text = base::FindBytes(text, number).value_or(std::string_view());
  }
  return NamesSecret(label, text);
}

// Does the same for a message that a Struct spells. One whose Label stands deeper in it counts as a secret: to look for
// it in every form that a Struct can have is not worth it.
bool Secrets::IsLabelledSecret(const wire::View& structure, const wire::Type& spelled) {
  const wire::Label& label = spelled.label();
  if (!label.exists()) return false;
  const wire::Field* field = spelled.Find(std::uint32_t{label.path[0]});
  if (label.path[1] != 0 || field == nullptr) return true;
  return NamesSecret(label, TextMember(structure, field->name, field->json_name));
}

wire::KeySecrecy Secrets::SecrecyOf(std::string_view key) {
  constexpr std::size_t kKeysKept = 4096;
  if (const auto known = keys_.find(base::ToAbsl(key)); known != keys_.end()) return known->second;
  if (keys_.size() >= kKeysKept) keys_.clear();
  return keys_[std::string(key)] = wire::SecrecyOfKey(key);
}

}  // namespace xdscope::format
