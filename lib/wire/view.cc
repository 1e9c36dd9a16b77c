#include "lib/wire/view.h"

#include <algorithm>

namespace xdscope::wire {
namespace {

using base::FieldReader;
using base::WireType;

// The wire type that a kind's values have where they are not packed; in the order of FieldKind.
constexpr WireType kWireTypes[] = {
    WireType::kVarint, WireType::kVarint,  WireType::kVarint,  WireType::kVarint,  WireType::kVarint,
    WireType::kVarint, WireType::kFixed32, WireType::kFixed64, WireType::kFixed32, WireType::kFixed64,
    WireType::kVarint, WireType::kVarint,  WireType::kFixed32, WireType::kFixed64, WireType::kBytes,
    WireType::kBytes,  WireType::kBytes,
};
static_assert(std::size(kWireTypes) == static_cast<std::size_t>(FieldKind::kMessage) + 1);

WireType WireTypeOf(FieldKind kind) {
  return kWireTypes[static_cast<std::size_t>(kind)];
}

std::uint64_t SignExtend32(std::uint64_t raw) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(raw)));
}

// Turns the raw number of the wire into what it means for a kind: protobuf cuts what is too wide for the kind off, and
// undoes the zigzag of sint32 and sint64.
std::uint64_t Bits(FieldKind kind, std::uint64_t raw) {
  switch (kind) {
    case FieldKind::kInt32:
    case FieldKind::kSfixed32:
    case FieldKind::kEnum:
      return SignExtend32(raw);
    case FieldKind::kUint32:
      return raw & 0xFFFFFFFF;
    case FieldKind::kSint32: {
      const std::uint64_t value = raw & 0xFFFFFFFF;
      return SignExtend32((value >> 1) ^ (0 - (value & 1)));
    }
    case FieldKind::kSint64:
      return (raw >> 1) ^ (0 - (raw & 1));
    case FieldKind::kBool:
      return raw != 0 ? 1 : 0;
    default:
      return raw;
  }
}

// Tells whether a field of the wire is one that `field` describes; if not, it counts as unknown. A number outside a
// closed enum does too.
inline bool Matches(const Field& field, const FieldReader& reader) {
  if (reader.type() == WireTypeOf(field.kind)) {
    return !field.closed_enum || !field.EnumName(static_cast<std::int32_t>(reader.value())).empty();
  }
  return reader.type() == WireType::kBytes && field.repeated && field.packable();
}

std::optional<Value> SingleOf(const Present* present) {
  return present == nullptr ? std::nullopt : std::optional(Single(*present));
}

}  // namespace

Value ValueOf(const Field& field, const FieldReader& reader) {
  return {&field, Bits(field.kind, reader.value()), reader.bytes()};
}

std::size_t FixedWidth(FieldKind kind) {
  const WireType type = WireTypeOf(kind);
  return type == WireType::kFixed32 ? 4 : type == WireType::kFixed64 ? 8 : 0;
}

const Field* KnownField(const Type& type, const base::FieldReader& reader) {
  const Field* field = type.Find(reader.number());
  return field != nullptr && Matches(*field, reader) ? field : nullptr;
}

// Reads the whole message, since a later occurrence counts more than an earlier one, and a later member of the same
// oneof takes the field back. It is for whoever needs one or two fields; whoever needs all makes Fields once.
std::optional<Value> View::Get(const Field& field) const {
  if (fields_ != nullptr) return SingleOf(fields_->Find(field.number));
  std::optional<Value> found;
  FieldReader reader(bytes_);
  while (reader.Next()) {
    if (reader.number() == field.number) {
      if (Matches(field, reader)) found = ValueOf(field, reader);
    } else if (found && field.oneof >= 0) {
      const Field* other = KnownField(*type_, reader);
      if (other != nullptr && other->oneof == field.oneof) found.reset();
    }
  }
  return found;
}

std::optional<Value> View::Get(std::uint32_t number) const {
  const Field* field = type_->Find(number);
  return field == nullptr ? std::nullopt : Get(*field);
}

std::optional<Value> View::Get(std::string_view name) const {
  if (fields_ != nullptr) return SingleOf(fields_->Find(name));
  const Field* field = type_->Find(name);
  return field == nullptr ? std::nullopt : Get(*field);
}

std::string_view View::GetText(std::uint32_t number) const {
  const std::optional<Value> value = Get(number);
  return value ? value->bytes : std::string_view();
}

std::string_view View::GetText(std::string_view name) const {
  const std::optional<Value> value = Get(name);
  return value ? value->bytes : std::string_view();
}

std::optional<Present> View::Find(std::string_view name) const {
  const auto find = [name](const Fields& fields) {
    const Present* const present = fields.Find(name);
    return present == nullptr ? std::nullopt : std::optional(*present);
  };
  return fields_ != nullptr ? find(*fields_) : find(Fields(*this));
}

// A message has few fields that are present, so that to go through them takes less than to ask the type.
const Present* Fields::Find(std::uint32_t number) const {
  const Present* const end = rows_ + size_;
  const Present* const found =
      std::find_if(rows_, rows_ + size_, [&](const Present& row) { return row.field->number == number; });
  return found == end ? nullptr : found;
}

const Present* Fields::Find(std::string_view name) const {
  const Present* const end = rows_ + size_;
  const Present* const found = std::find_if(rows_, rows_ + size_, [&](const Present& row) {
    return row.field->name == name || row.field->json_name == name;
  });
  return found == end ? nullptr : found;
}

// Writers put fields in the order of their numbers, so the row of a field is nearly always the last one or a new one at
// the end; Row() is for the others. There is one row for each field of the type at most, however often the field stands
// there.
Fields::Fields(const View& view) {
  FieldReader reader(view.bytes());
  const Type& type = view.type();
  Present* row = nullptr;
  while (reader.Next()) {
    const Field* field = type.Find(reader.number());
    if (field == nullptr || !Matches(*field, reader)) {
      has_unknown_ = true;
      continue;
    }
    const std::string_view raw = reader.raw();
    if (row == nullptr || row->field != field) row = &Row(*field, raw.data());
    row->end = raw.data() + raw.size();
    row->payload = reader.bytes().data();
    row->bits = Bits(field->kind, reader.value());
  }
}

// A row is looked for only where one may exist: behind a field with a higher number, or in a oneof, where the member
// that comes last on the wire takes the place of the one before it. The search is linear, in rows and not in
// occurrences, and most messages have fewer rows than a cache line has words.
inline Present& Fields::Row(const Field& field, const char* tag) {
  const bool in_order = size_ == 0 || rows_[size_ - 1].field->number < field.number;
  if (!in_order || field.oneof >= 0) {
    Present* const same = std::find_if(rows_, rows_ + size_, [&](const Present& r) { return r.field == &field; });
    if (same != rows_ + size_) return *same;
    if (field.oneof >= 0) DropOneof(field.oneof);
  }
  return Insert(field, tag);
}

// The member that loses has its number among the rows already, so it goes; the winner is then inserted as if it were
// the first.
void Fields::DropOneof(std::int16_t oneof) {
  Present* const end = rows_ + size_;
  Present* const other = std::find_if(rows_, end, [&](const Present& row) { return row.field->oneof == oneof; });
  if (other == end) return;
  std::move(other + 1, end, other);
  --size_;
}

// Keeps the rows sorted by insertion from the end: for fields in order that moves nothing. The inline array holds the
// rows of nearly every message, so that to look at one allocates nothing; a wider one doubles.
inline Present& Fields::Insert(const Field& field, const char* tag) {
  if (size_ >= kInline && size_ >= more_.size()) {
    std::vector<Present> wider(size_ * 2);
    std::copy(rows_, rows_ + size_, wider.begin());
    more_ = std::move(wider);
    rows_ = more_.data();
  }
  std::size_t at = size_++;
  for (; at > 0 && rows_[at - 1].field->number > field.number; --at) rows_[at] = rows_[at - 1];
  rows_[at].field = &field;
  rows_[at].first = tag;
  return rows_[at];
}

Elements::Elements(const Present& present)
    : field_(present.field),
      rest_(std::string_view(present.first, static_cast<std::size_t>(present.end - present.first))) {}

bool Elements::Next() {
  while (true) {
    if (!packed_.empty()) {
      NextPacked();
      if (InEnum()) return true;
      continue;
    }
    if (!rest_.Next()) return false;
    if (rest_.number() != field_->number || !Matches(*field_, rest_)) continue;
    if (rest_.type() == WireType::kBytes && field_->packable()) {
      packed_ = rest_.bytes();
      continue;
    }
    value_ = ValueOf(*field_, rest_);
    return true;
  }
}

bool Elements::InEnum() const {
  return !field_->closed_enum || !field_->EnumName(static_cast<std::int32_t>(value_.bits)).empty();
}

void Elements::NextPacked() {
  std::uint64_t raw = 0;
  std::size_t width = 0;
  switch (WireTypeOf(field_->kind)) {
    case WireType::kFixed32:
      raw = base::LoadFixed32(packed_.data());
      width = 4;
      break;
    case WireType::kFixed64:
      raw = base::LoadFixed64(packed_.data());
      width = 8;
      break;
    default:
      width = static_cast<std::size_t>(base::ReadVarint(packed_.data(), packed_.data() + packed_.size(), &raw) -
                                       packed_.data());
  }
  packed_.remove_prefix(width);
  value_ = {field_, Bits(field_->kind, raw), {}};
}

// Does what EnvelopeReader::ReadAny() does, without its checks: Decode() has made them.
base::AnyView PartsOf(const View& any) {
  base::AnyView parts;
  FieldReader reader(any.bytes());
  while (reader.Next()) {
    if (!reader.Is(1, &parts.type_url)) reader.Is(2, &parts.value);
  }
  return parts;
}

namespace {

// An entry is a message that may lack its key or its value, each of which then has its default; unknown fields in it
// count for nothing.
MapEntry EntryOf(const View& entry) {
  const Field* key = entry.type().Find(1U);
  const Field* value = entry.type().Find(2U);
  MapEntry found{{key, 0, {}}, {value, 0, {}}};
  FieldReader reader(entry.bytes());
  while (reader.Next()) {
    const Field* field = reader.number() == 1 ? key : value;
    if (reader.number() != field->number || !Matches(*field, reader)) continue;
    (field == key ? found.key : found.value) = ValueOf(*field, reader);
  }
  return found;
}

bool IsSigned(FieldKind kind) {
  return kind == FieldKind::kInt32 || kind == FieldKind::kInt64 || kind == FieldKind::kSint32 ||
         kind == FieldKind::kSint64 || kind == FieldKind::kSfixed32 || kind == FieldKind::kSfixed64;
}

}  // namespace

bool KeyLess(const MapEntry& a, const MapEntry& b) {
  if (a.key.field->kind == FieldKind::kString) return a.key.bytes < b.key.bytes;
  return IsSigned(a.key.field->kind) ? a.key.AsInt() < b.key.AsInt() : a.key.bits < b.key.bits;
}

// Protobuf gives maps no order, and Go's writer a random one, so that the same map would print differently each time:
// sorted it has one form. The sort is stable and of equal keys the last one stays, which is what a parser does that
// puts one entry after another into a map.
absl::InlinedVector<MapEntry, 4> SortedMap(const Present& present) {
  absl::InlinedVector<MapEntry, 4> entries;
  Elements elements(present);
  while (elements.Next()) entries.push_back(EntryOf(elements.value().AsMessage()));
  if (entries.size() < 2) return entries;
  std::stable_sort(entries.begin(), entries.end(), KeyLess);
  absl::InlinedVector<MapEntry, 4> unique;
  unique.reserve(entries.size());
  for (const MapEntry& entry : entries) {
    if (!unique.empty() && !KeyLess(unique.back(), entry)) unique.pop_back();
    unique.push_back(entry);
  }
  return unique;
}

std::string KeyText(const Value& key) {
  const FieldKind kind = key.field->kind;
  if (kind == FieldKind::kString) return std::string(key.bytes);
  if (kind == FieldKind::kBool) return key.AsBool() ? "true" : "false";
  return IsSigned(kind) ? std::to_string(key.AsInt()) : std::to_string(key.AsUint());
}

std::optional<Value> KindOf(const View& json_value) {
  const Fields fields(json_value);
  if (fields.known().empty()) return std::nullopt;
  return Single(fields.known().front());
}

std::vector<UnknownField> UnknownFields(const View& view) {
  std::vector<UnknownField> unknown;
  FieldReader reader(view.bytes());
  while (reader.Next()) {
    if (KnownField(view.type(), reader) != nullptr) continue;
    unknown.push_back({reader.number(), reader.type(), reader.value(), reader.bytes(), reader.raw()});
  }
  return unknown;
}

}  // namespace xdscope::wire
