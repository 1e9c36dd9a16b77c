#include "lib/format/redact.h"

#include <optional>

#include "lib/base/resource_wrapper.h"

namespace xdscope::format {

using wire::FieldKind;
using wire::WellKnown;

std::string Redactor::Payload(std::string_view type_url, std::string_view bytes, WalkState state) {
  const absl::StatusOr<wire::Message> message = wire::Open(type_url, bytes, types_);
  if (message.ok() && Secrets::MayOpen(state)) {
    return Message(message->view(), secrets_.InsideAny(message->view(), state));
  }
  const bool show = Secrets::MayOpen(state) && secrets_.ShowsUnopened(type_url, state);
  return show ? std::string(bytes) : std::string();
}

// Writes the message anew field by field, in the order of the wire. It is no encode::Rewrite: that one asks for whole
// messages and keeps all else, while here fields of one message go, stay or change each for itself, and what is below
// them is asked for all the same.
std::string Redactor::Message(const wire::View& message, WalkState state) {
  state = secrets_.Inside(message, state);
  if (message.type().well_known() == WellKnown::kAny) return Any(message, state);
  std::string out;
  base::FieldReader reader(message.bytes());
  while (reader.Next()) {
    const wire::Field* field = wire::KnownField(message.type(), reader);
    if (field != nullptr) {
      AddField(message, *field, reader, secrets_.Below(message, *field, state), &out);
    } else if (secrets_.ShowsUnknown(message, state)) {
      out.append(reader.raw());
    }
  }
  return out;
}

std::string Redactor::Any(const wire::View& any, WalkState state) {
  const base::AnyView parts = wire::PartsOf(any);
  return base::BytesOf({parts.type_url, Payload(parts.type_url, parts.value, state)});
}

void Redactor::AddField(const wire::View& parent, const wire::Field& field, const base::FieldReader& reader,
                        WalkState state, std::string* out) {
  if (field.kind == FieldKind::kMessage) {
    const wire::View message = wire::ValueOf(field, reader).AsMessage();
    if (field.map) return AddMapEntry(field, message, state, out);
    if (state.hidden && Secrets::Vanishes(message)) return;
    return base::AppendBytes(out, field.number, Message(message, state));
  }
  const bool text = field.kind == FieldKind::kString || field.kind == FieldKind::kBytes;
  if (!state.hidden || Secrets::NamesType(parent, field)) {
    out->append(reader.raw());
  } else if (text) {
    base::AppendBytes(out, field.number, kRedacted);
  }
}

// The key of an entry decides what becomes of its value, and is shown itself: "password: [redacted]" says what is set.
void Redactor::AddMapEntry(const wire::Field& field, const wire::View& entry, WalkState state, std::string* out) {
  if (state.hidden && field.sensitive == wire::Sensitive::kKeysToo) return;
  state = secrets_.BelowKey(field, entry.GetText(1U), state);
  const std::optional<wire::Value> value = entry.Get(2U);
  if (state.hidden && (!value || Secrets::Vanishes(*value))) return;
  std::string bytes;
  base::FieldReader reader(entry.bytes());
  while (reader.Next()) {
    const wire::Field* part = wire::KnownField(entry.type(), reader);
    if (part == nullptr) continue;
    AddField(entry, *part, reader, part->number == 1 ? WalkState() : state, &bytes);
  }
  base::AppendBytes(out, field.number, bytes);
}

}  // namespace xdscope::format
