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

bool IsText(FieldKind kind) {
  return kind == FieldKind::kString || kind == FieldKind::kBytes;
}

// Returns the text of a member of a Struct; empty when there is none or it is no text.
std::string_view TextMember(const wire::View& structure, std::string_view key) {
  for (const wire::Fields fields(structure); const wire::Present& present : fields.known()) {
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      if (entry.key.bytes == key) return entry.value.AsMessage().GetText(3U);
    }
  }
  return {};
}

}  // namespace

WalkState Secrets::BelowUnusual(const wire::View& parent, const wire::Field& field, WalkState state) {
  if (field.sensitive == Sensitive::kYes) state.hidden = true;
  if (field.sensitive == Sensitive::kByKey) state.hidden = IsSecretKey(parent.GetText("key"));
  if (parent.type().well_known() == WellKnown::kTypedStruct && field.kind == FieldKind::kMessage) {
    state.spells = types_.Find(parent.GetText("type_url"));
    state.spells_map = false;
  }
  return state;
}

// A Struct that spells an Any spells the message that its "@type" names. To look for that member takes the whole
// Struct, so it is done once on the way in and not for each key.
WalkState Secrets::InsideSpelled(const wire::View& message, WalkState state) const {
  const bool is_any = message.type().well_known() == WellKnown::kStruct && !state.spells_map &&
                      state.spells->well_known() == WellKnown::kAny;
  if (is_any) state.spells = types_.Find(TextMember(message, "@type"));
  return state;
}

WalkState Secrets::BelowKey(const wire::View& structure, std::string_view key, WalkState state) {
  if (show_ || state.hidden) return state;
  if (state.spells != nullptr) state = BelowSpelled(structure, key, state);
  if (IsSecretKey(key)) state.hidden = true;
  return state;
}

// Reads the Struct as the JSON form of the message it spells.
WalkState Secrets::BelowSpelled(const wire::View& structure, std::string_view key, WalkState state) {
  const wire::Type* type = state.spells;
  state.spells = nullptr;
  const wire::Field* field = nullptr;
  if (state.spells_map) {
    field = type->Find(2U);
  } else {
    field = type->Find(key);
  }
  state.spells_map = false;
  if (field == nullptr) return state;
  if (field->sensitive == Sensitive::kYes) state.hidden = true;
  if (field->sensitive == Sensitive::kByKey) state.hidden = IsSecretKey(TextMember(structure, "key"));
  if (field->kind != FieldKind::kMessage) return state;
  state.spells = &field->message();
  state.spells_map = field->map;
  if (type->well_known() == WellKnown::kTypedStruct) state.spells = types_.Find(TextMember(structure, "type_url"));
  return state;
}

bool Secrets::MayOpen(WalkState state) {
  return state.any_depth < wire::kMaxAnyDepth && state.depth < wire::kMaxOpenDepth;
}

bool Secrets::ShowsUnopened(std::string_view type_url, WalkState state) const {
  if (show_) return true;
  if (!state.shows_raw() || IsSecretType(base::MessageName(type_url)) || !MayOpen(state)) return false;
  // A type of which we know that it holds secrets, but not where they are in these bytes: two levels reach the private
  // keys of a TLS context.
  const wire::Type* type = types_.Find(type_url);
  return type == nullptr || !Holds(*type, 2);
}

// Returns true when a field is sensitive in the type, or in messages up to `levels` below it.
bool Secrets::Holds(const wire::Type& type, int levels) {
  const auto holds = [levels](const wire::Field& field) {
    return field.sensitive == Sensitive::kYes ||
           (levels > 0 && field.kind == FieldKind::kMessage && Holds(field.message(), levels - 1));
  };
  return std::any_of(type.fields().begin(), type.fields().end(), holds);
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

bool Secrets::IsSecretKey(std::string_view key) {
  constexpr std::size_t kKeysKept = 4096;
  if (const auto known = keys_.find(base::ToAbsl(key)); known != keys_.end()) return known->second;
  if (keys_.size() >= kKeysKept) keys_.clear();
  return keys_[std::string(key)] = wire::IsSecretKey(key);
}

}  // namespace xdscope::format
