#include "lib/format/walk.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <bit>
#include <charconv>
#include <iterator>

#include "lib/format/text.h"

namespace xdscope::format {

using wire::FieldKind;

Walker::Walker(wire::Types& types, const WalkOptions& options, Writer& writer)
    : types_(types),
      options_(options),
      writer_(writer),
      json_(writer.mapping() == Mapping::kJson),
      secrets_(types, options.show_secrets) {}

void Walker::Message(const wire::View& message, WalkState state) {
  const wire::WellKnown known = message.type().well_known();
  if (known == wire::WellKnown::kNone) return Object(message, state);
  WellKnown(message, state);
}

void Walker::Object(const wire::View& message, WalkState state) {
  writer_.BeginObject();
  Members(message, state);
  writer_.EndObject();
}

void Walker::Members(const wire::View& message, WalkState state) {
  state = secrets_.Inside(message, state);
  const wire::Fields fields(message);
  if (options_.emit_defaults && !state.hidden) {
    MembersAndDefaults(message, fields, state);
  } else {
    for (const wire::Present& present : fields.known()) Member(message, present, state);
  }
  if (options_.unknown_fields && fields.has_unknown()) Unknown(message, state);
}

namespace {

using google::protobuf::FieldDescriptor;

bool IsProto2(const wire::Field& field) {
  return field.descriptor->file()->syntax() == google::protobuf::FileDescriptor::SYNTAX_PROTO2;
}

// Tells whether a field that is not set is shown with its default, as protobuf does it: those of proto2 too.
bool HasDefault(const wire::Field& field) {
  if (!field.has_presence) return true;
  return field.kind != FieldKind::kMessage && field.oneof < 0 && IsProto2(field);
}

std::uint64_t DefaultBits(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return static_cast<std::uint64_t>(field.default_value_int32());
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<std::uint64_t>(field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT32:
      return field.default_value_uint32();
    case FieldDescriptor::CPPTYPE_UINT64:
      return field.default_value_uint64();
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? 1 : 0;
    case FieldDescriptor::CPPTYPE_FLOAT:
      return std::bit_cast<std::uint32_t>(field.default_value_float());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return std::bit_cast<std::uint64_t>(field.default_value_double());
    case FieldDescriptor::CPPTYPE_ENUM:
      return static_cast<std::uint64_t>(field.default_value_enum()->number());
    default:
      return 0;
  }
}

}  // namespace

// Goes through the fields of the type and those of the message side by side, since both are sorted by number.
void Walker::MembersAndDefaults(const wire::View& message, const wire::Fields& fields, WalkState state) {
  auto present = fields.known().begin();
  for (const wire::Field& field : message.type().fields()) {
    if (present != fields.known().end() && present->field == &field) {
      const bool is_default = !field.repeated && !field.has_presence && wire::Single(*present).IsDefault();
      if (is_default) {
        Default(field);
      } else {
        Member(message, *present, state);
      }
      ++present;
    } else if (HasDefault(field)) {
      Default(field);
    }
  }
}

void Walker::Member(const wire::View& parent, const wire::Present& present, WalkState state) {
  const wire::Field& field = *present.field;
  const WalkState below = secrets_.Below(parent, field, state);
  if (field.map) return Map(present, below);
  if (field.repeated) return List(present, below);
  const wire::Value value = wire::Single(present);
  if (!field.has_presence && value.IsDefault()) return;
  if (below.hidden && Secrets::Vanishes(value)) return;
  FieldKey(field);
  if (Secrets::NamesType(parent, field)) return Text(field, value.bytes);
  Value(value, below);
}

void Walker::Default(const wire::Field& field) {
  FieldKey(field);
  if (field.map && json_) {
    writer_.BeginObject();
    writer_.EndObject();
  } else if (field.repeated) {
    writer_.BeginList();
    writer_.EndList();
  } else {
    const bool text = field.kind == FieldKind::kString || field.kind == FieldKind::kBytes;
    const std::string_view bytes =
        text ? std::string_view(field.descriptor->default_value_string()) : std::string_view();
    Value({&field, DefaultBits(*field.descriptor), bytes}, WalkState());
  }
}

void Walker::FieldKey(const wire::Field& field) {
  if (options_.names == FieldNames::kProto || !json_) return writer_.NameKey(field.name);
  writer_.Key(field.json_name);
}

// A list of which nothing may be shown has no key either: "keys: []" would tell that there is none.
void Walker::List(const wire::Present& present, WalkState state) {
  const wire::Field& field = *present.field;
  if (state.hidden && field.packable()) return;
  wire::Elements elements(present);
  if (!elements.Next()) return;
  FieldKey(field);
  writer_.BeginList();
  do {
    if (state.hidden && Secrets::Vanishes(elements.value())) continue;
    Value(elements.value(), state);
  } while (elements.Next());
  writer_.EndList();
}

void Walker::Map(const wire::Present& present, WalkState state) {
  const wire::Field& field = *present.field;
  if (state.hidden && field.sensitive == wire::Sensitive::kKeysToo) return;
  FieldKey(field);
  json_ ? writer_.BeginObject() : writer_.BeginList();
  for (const wire::MapEntry& entry : wire::SortedMap(present)) {
    const WalkState below = secrets_.BelowKey(field, entry.key.bytes, state);
    if (below.hidden && Secrets::Vanishes(entry.value)) continue;
    if (json_) {
      MapKey(entry.key);
      Value(entry.value, below);
      continue;
    }
    writer_.BeginObject();
    writer_.NameKey("key");
    Value(entry.key, WalkState());
    writer_.NameKey("value");
    Value(entry.value, below);
    writer_.EndObject();
  }
  json_ ? writer_.EndObject() : writer_.EndList();
}

void Walker::MapKey(const wire::Value& key) {
  char digits[24];
  const auto number = [&](auto value) {
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    writer_.Key({digits, static_cast<std::size_t>(end - digits)});
  };
  switch (key.field->kind) {
    case FieldKind::kString:
      return writer_.Key(key.field->utf8 ? key.bytes : Repaired(key.bytes, space_));
    case FieldKind::kBool:
      return writer_.Key(key.AsBool() ? "true" : "false");
    case FieldKind::kUint32:
    case FieldKind::kUint64:
    case FieldKind::kFixed32:
    case FieldKind::kFixed64:
      return number(key.AsUint());
    default:
      return number(key.AsInt());
  }
}

void Walker::Value(const wire::Value& value, WalkState state) {
  switch (value.field->kind) {
    case FieldKind::kMessage:
      return Message(value.AsMessage(), state);
    case FieldKind::kString:
      return state.hidden ? writer_.Text(kRedacted) : Text(*value.field, value.bytes);
    case FieldKind::kBytes:
      return writer_.Bytes(state.hidden ? kRedacted : value.bytes);
    case FieldKind::kBool:
      return writer_.Bool(value.AsBool());
    case FieldKind::kEnum:
      return Enum(value);
    case FieldKind::kInt32:
    case FieldKind::kSint32:
    case FieldKind::kSfixed32:
      return writer_.Int(static_cast<std::int32_t>(value.AsInt()));
    case FieldKind::kUint32:
    case FieldKind::kFixed32:
      return writer_.Uint(static_cast<std::uint32_t>(value.AsUint()));
    case FieldKind::kInt64:
    case FieldKind::kSint64:
    case FieldKind::kSfixed64:
      return writer_.Int64(value.AsInt());
    case FieldKind::kUint64:
    case FieldKind::kFixed64:
      return writer_.Uint64(value.AsUint());
    case FieldKind::kFloat:
      return writer_.Float(value.AsFloat());
    case FieldKind::kDouble:
      return writer_.Double(value.AsDouble());
  }
}

void Walker::Text(const wire::Field& field, std::string_view text) {
  writer_.Text(field.utf8 ? text : Repaired(text, space_));
}

// A number without a name is printed as a number, as protobuf does: a server may be newer than the schema.
void Walker::Enum(const wire::Value& value) {
  const auto number = static_cast<std::int32_t>(value.AsInt());
  const std::string_view name = value.field->EnumName(number);
  constexpr std::string_view kNull = "NULL_VALUE";
  if (name.empty()) return writer_.Int(number);
  const bool null =
      json_ && name == kNull && value.field->descriptor->enum_type()->full_name() == "google.protobuf.NullValue";
  null ? writer_.Null() : writer_.Symbol(name);
}

namespace {

std::string_view WireName(base::WireType type) {
  switch (type) {
    case base::WireType::kVarint:
      return "varint";
    case base::WireType::kFixed64:
      return "fixed64";
    case base::WireType::kFixed32:
      return "fixed32";
    case base::WireType::kBytes:
      return "bytes";
    default:
      return "group";
  }
}

bool IsNumber(base::WireType type) {
  return type == base::WireType::kVarint || type == base::WireType::kFixed32 || type == base::WireType::kFixed64;
}

}  // namespace

void Walker::Unknown(const wire::View& message, WalkState state) {
  const bool show = secrets_.ShowsUnknown(message, state);
  if (json_) {
    writer_.Key("@unknown");
    writer_.BeginList();
  }
  for (const wire::UnknownField& field : wire::UnknownFields(message)) {
    json_ ? UnknownEntry(field, show) : UnknownComment(field, show);
  }
  if (json_) writer_.EndList();
}

void Walker::UnknownEntry(const wire::UnknownField& field, bool show) {
  writer_.BeginObject();
  writer_.NameKey("field");
  writer_.Uint(field.number);
  writer_.NameKey("type");
  writer_.Text(WireName(field.type));
  writer_.NameKey("value");
  UnknownValue(field, show);
  writer_.EndObject();
}

void Walker::UnknownValue(const wire::UnknownField& field, bool show) {
  if (!IsNumber(field.type)) {
    writer_.Bytes(show ? field.bytes : kRedacted);
  } else if (show) {
    writer_.Uint64(field.value);
  } else {
    writer_.Text(kRedacted);
  }
}

void Walker::UnknownComment(const wire::UnknownField& field, bool show) {
  std::string value(kRedacted);
  if (show && IsNumber(field.type)) value = fmt::format("{}", field.value);
  if (show && !IsNumber(field.type)) {
    value.clear();
    for (const char c : field.bytes) fmt::format_to(std::back_inserter(value), "{:02x}", static_cast<unsigned char>(c));
  }
  writer_.Comment(fmt::format("unknown field {}, {}: {}", field.number, WireName(field.type), value));
}

}  // namespace xdscope::format
