// The half of the walk that knows Any and the types with a JSON form of their own.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "lib/base/status.h"
#include "lib/format/text.h"
#include "lib/format/walk.h"

namespace xdscope::format {
namespace {

// Returns true when text format can spell the URL between brackets: "host.name/full.Name".
bool IsPlainUrl(std::string_view type_url) {
  const std::size_t slash = type_url.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == type_url.size()) return false;
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  return std::all_of(type_url.begin(), type_url.begin() + static_cast<std::ptrdiff_t>(slash), plain) &&
         std::all_of(type_url.begin() + static_cast<std::ptrdiff_t>(slash) + 1, type_url.end(), plain);
}

}  // namespace

void Walker::Any(std::string_view type_url, std::string_view bytes, WalkState state) {
  if (type_url.empty() && bytes.empty()) {
    writer_.BeginObject();
    return writer_.EndObject();
  }
  if (!Secrets::MayOpen(state)) return Unopened(type_url, bytes, "nested too deeply", state);
  const absl::StatusOr<wire::Message> message = wire::Open(type_url, bytes, types_);
  if (message.status().code() == absl::StatusCode::kNotFound) {
    return Unopened(type_url, bytes, types_.WhyUnknown(type_url), state);
  }
  if (!message.ok()) return Unopened(type_url, bytes, base::Message(message.status()), state);
  Opened(type_url, message->view(), state);
}

void Walker::Opened(std::string_view type_url, const wire::View& message, WalkState state) {
  state = secrets_.InsideAny(message, state);
  writer_.BeginObject();
  json_ ? OpenedJson(type_url, message, state) : OpenedText(type_url, message, state);
  writer_.EndObject();
}

// The members of the message stand beside "@type", but for the types that are no object in JSON: their value stands
// under "value". TypedStruct counts as well-known for what its Struct spells; in JSON it is an object like others.
void Walker::OpenedJson(std::string_view type_url, const wire::View& message, WalkState state) {
  writer_.Key("@type");
  writer_.Text(type_url);
  // For a message without bytes protobuf's printer has neither "value" nor defaults.
  if (message.empty() || (state.hidden && Secrets::Vanishes(message))) return;
  const wire::WellKnown known = message.type().well_known();
  if (known == wire::WellKnown::kNone || known == wire::WellKnown::kTypedStruct) return Members(message, state);
  writer_.NameKey("value");
  WellKnown(message, state);
}

void Walker::OpenedText(std::string_view type_url, const wire::View& message, WalkState state) {
  std::string key = fmt::format("[{}]", type_url);
  if (!IsPlainUrl(type_url)) {
    writer_.Comment(fmt::format("type_url: {}", type_url));
    key = fmt::format("[type.googleapis.com/{}]", message.type().full_name());
  }
  writer_.Key(key);
  Message(message, state);
}

void Walker::Unopened(std::string_view type_url, std::string_view bytes, std::string_view why, WalkState state) {
  const bool show = secrets_.ShowsUnopened(type_url, state);
  writer_.BeginObject();
  if (json_) {
    writer_.Key("@type");
    writer_.Text(type_url);
    writer_.Key("@error");
    writer_.Text(why);
    writer_.Key("@value");
  } else {
    writer_.Comment(fmt::format("@error: {}", why));
    writer_.NameKey("type_url");
    writer_.Text(type_url);
    writer_.NameKey("value");
  }
  writer_.Bytes(show ? bytes : kRedacted);
  writer_.EndObject();
}

// These types have a form of their own in JSON alone; text format writes them as messages. One with unknown fields is
// written as a message too when those are asked for, since "1.5s" has no place for them.
void Walker::WellKnown(const wire::View& message, WalkState state) {
  using wire::WellKnown;
  const WellKnown known = message.type().well_known();
  if (known == WellKnown::kAny) {
    const base::AnyView parts = wire::PartsOf(message);
    return Any(parts.type_url, parts.value, secrets_.Inside(message, state));
  }
  const bool plain = !json_ || (options_.unknown_fields && wire::Fields(message).has_unknown());
  if (plain) return Object(message, state);
  switch (known) {
    case WellKnown::kDuration:
    case WellKnown::kTimestamp:
      if (!Time(message)) Object(message, state);
      return;
    case WellKnown::kFieldMask:
      return state.hidden ? writer_.Text(kRedacted) : FieldMask(message);
    case WellKnown::kStruct:
      return Struct(message, state);
    case WellKnown::kValue:
      return StructValue(message, state);
    case WellKnown::kListValue:
      return ListValue(message, state);
    case WellKnown::kWrapper: {
      const wire::Field& field = message.type().fields().front();
      return Value(message.Get(field).value_or(wire::Value{&field, 0, {}}), state);
    }
    default:
      return Object(message, state);
  }
}

// Returns false when the value is out of range and has no form of its own.
bool Walker::Time(const wire::View& message) {
  const std::int64_t seconds = message.Get(1U).value_or(wire::Value()).AsInt();
  const std::int64_t nanos = message.Get(2U).value_or(wire::Value()).AsInt();
  const bool duration = message.type().well_known() == wire::WellKnown::kDuration;
  const std::optional<std::string> text = duration ? DurationText(seconds, nanos) : TimestampText(seconds, nanos);
  if (text) writer_.Text(*text);
  return text.has_value();
}

void Walker::FieldMask(const wire::View& message) {
  std::string paths;
  for (const wire::Fields fields(message); const wire::Present& present : fields.known()) {
    for (wire::Elements elements(present); elements.Next();) {
      if (!paths.empty()) paths.push_back(',');
      paths.append(CamelPath(elements.value().bytes));
    }
  }
  writer_.Text(paths);
}

// Writes a Struct as the JSON object that it is. Inside a TypedStruct its keys are the fields of a message, so that
// each key is looked up there: a private key is secret in whichever way it is spelled.
void Walker::Struct(const wire::View& message, WalkState state) {
  state = secrets_.Inside(message, state);
  writer_.BeginObject();
  for (const wire::Fields fields(message); const wire::Present& present : fields.known()) {
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      const WalkState below = secrets_.BelowKey(*present.field, entry.key.bytes, state);
      const wire::View value = entry.value.AsMessage();
      if (below.hidden && Secrets::Vanishes(value)) continue;
      writer_.Key(entry.key.bytes);
      StructValue(value, below);
    }
  }
  writer_.EndObject();
}

void Walker::StructValue(const wire::View& message, WalkState state) {
  const std::optional<wire::Value> kind = wire::KindOf(message);
  // One without a kind is malformed; null is what keeps its place in a list.
  if (!kind) return writer_.Null();
  Value(*kind, secrets_.Inside(message, state));
}

void Walker::ListValue(const wire::View& message, WalkState state) {
  state = secrets_.Inside(message, state);
  writer_.BeginList();
  for (const wire::Fields fields(message); const wire::Present& present : fields.known()) {
    for (wire::Elements elements(present); elements.Next();) {
      const wire::View value = elements.value().AsMessage();
      if (state.hidden && Secrets::Vanishes(value)) continue;
      StructValue(value, state);
    }
  }
  writer_.EndList();
}

}  // namespace xdscope::format
