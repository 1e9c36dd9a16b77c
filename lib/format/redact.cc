#include "lib/format/redact.h"

#include <optional>

namespace xdscope::format {

using wire::Kind;
using wire::WellKnown;

std::string Redactor::Payload(std::string_view type_url, std::string_view bytes, Place place) {
  const absl::StatusOr<wire::Message> message = wire::Open(type_url, bytes, types_);
  if (message.ok() && Secrets::MayOpen(place)) {
    ++place.any_depth;
    return Message(message->view(), place);
  }
  const bool show = Secrets::MayOpen(place) && secrets_.ShowsUnopened(type_url, place);
  return show ? std::string(bytes) : std::string();
}

std::string Redactor::Message(const wire::View& message, Place place) {
  place = secrets_.Inside(message, place);
  if (message.type().well_known() == WellKnown::kAny) return Any(message, place);
  std::string out;
  base::FieldReader reader(message.bytes());
  while (reader.Next()) {
    const wire::Field* field = wire::KnownField(message.type(), reader);
    if (field != nullptr) {
      AddField(message, *field, reader, secrets_.Below(message, *field, place), &out);
    } else if (place.shows_raw()) {
      out.append(reader.raw());
    }
  }
  return out;
}

std::string Redactor::Any(const wire::View& any, Place place) {
  const std::string_view type_url = any.GetText(1U);
  std::string out;
  base::AppendBytes(&out, 1, type_url);
  base::AppendBytes(&out, 2, Payload(type_url, any.GetText(2U), place));
  return out;
}

void Redactor::AddField(const wire::View& parent, const wire::Field& field, const base::FieldReader& reader,
                        Place place, std::string* out) {
  if (field.kind == Kind::kMessage) {
    const wire::View message = wire::ValueOf(field, reader).AsMessage();
    if (field.map) return AddMapEntry(parent, field, message, place, out);
    if (place.hidden && Secrets::Vanishes(message)) return;
    return base::AppendBytes(out, field.number, Message(message, place));
  }
  const bool text = field.kind == Kind::kString || field.kind == Kind::kBytes;
  const bool names_type = text && parent.type().well_known() == WellKnown::kTypedStruct;
  if (!place.hidden || names_type) {
    out->append(reader.raw());
  } else if (text) {
    base::AppendBytes(out, field.number, kRedacted);
  }
}

void Redactor::AddMapEntry(const wire::View& parent, const wire::Field& field, const wire::View& entry, Place place,
                           std::string* out) {
  const std::string_view key = entry.GetText(1U);
  if (parent.type().well_known() == WellKnown::kStruct) place = secrets_.BelowKey(parent, key, place);
  const std::optional<wire::Value> value = entry.Get(2U);
  if (place.hidden && (!value || Secrets::Vanishes(*value))) return;
  std::string bytes;
  base::FieldReader reader(entry.bytes());
  while (reader.Next()) {
    const wire::Field* part = wire::KnownField(entry.type(), reader);
    if (part == nullptr) continue;
    AddField(entry, *part, reader, part->number == 1 ? Place() : place, &bytes);
  }
  base::AppendBytes(out, field.number, bytes);
}

}  // namespace xdscope::format
