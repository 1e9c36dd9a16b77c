// A google.protobuf.Struct read as the JSON form of another message. [validation.md 3.2, XDS-V128]
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/time/time.h>
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "lib/wire/message.h"

namespace xdscope::wire {
namespace {

using base::WireType;

// The members of google.protobuf.Value.
enum class JsonKind : std::uint32_t { kNone = 0, kNull = 1, kNumber = 2, kText = 3, kBool = 4, kObject = 5, kList = 6 };

struct Json {
  JsonKind kind = JsonKind::kNone;
  std::optional<Value> value;

  std::string_view text() const { return value->bytes; }
  double number() const { return value->AsDouble(); }
};

Json JsonOf(const View& value) {
  for (std::uint32_t kind = 1; kind <= 6; ++kind) {
    if (std::optional<Value> found = value.Get(kind)) return {static_cast<JsonKind>(kind), found};
  }
  return {JsonKind::kNull, std::nullopt};  // an empty Value is what protobuf prints as null
}

absl::Status Bad(std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, what);
}

absl::Status Inside(const absl::Status& status, std::string_view step) {
  if (status.ok()) return status;
  const std::string_view rest = base::Message(status);
  const std::string_view join = rest.starts_with('.') || rest.starts_with('[') ? "" : ": ";
  return base::Error(status.code(), fmt::format(".{}{}{}", step, join, rest));
}

// A number that must be whole and in the range of T, from a JSON number or a text of one.
template <typename T>
std::optional<T> Whole(const Json& json) {
  if (json.kind == JsonKind::kText) {
    T value{};
    const std::string_view text = json.text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional<T>(value) : std::nullopt;
  }
  if (json.kind != JsonKind::kNumber) return std::nullopt;
  const double number = json.number();
  constexpr double kLimit = static_cast<double>(std::numeric_limits<T>::max());
  constexpr bool kSigned = std::numeric_limits<T>::is_signed;
  const double low = kSigned ? -kLimit - 1 : 0;
  // A 64-bit limit rounds up as a double: the limit itself is out of range then.
  const bool below = sizeof(T) == 8 ? number < kLimit : number <= kLimit;
  if (!(number >= low && below) || std::trunc(number) != number) return std::nullopt;
  return static_cast<T>(number);
}

std::optional<double> Real(const Json& json) {
  if (json.kind == JsonKind::kNumber) return json.number();
  if (json.kind != JsonKind::kText) return std::nullopt;
  if (json.text() == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json.text() == "Infinity") return std::numeric_limits<double>::infinity();
  if (json.text() == "-Infinity") return -std::numeric_limits<double>::infinity();
  double value = 0;
  return absl::SimpleAtod(base::ToAbsl(json.text()), &value) ? std::optional<double>(value) : std::nullopt;
}

void AppendFixed(std::string* out, std::uint64_t bits, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out->push_back(static_cast<char>(bits >> (8 * i)));
}

class Encoder {
 public:
  explicit Encoder(Types& types) : types_(types) {}

  // The wire bytes of the message of `type` that a Struct spells.
  absl::StatusOr<std::string> Object(const View& structure, const Type& type, bool skip_at_type);

 private:
  absl::Status AddMember(std::string* out, const Field& field, const Json& json);
  absl::Status AddValue(std::string* out, const Field& field, const Json& json);
  absl::Status AddNumber(std::string* out, const Field& field, const Json& json);
  absl::Status AddMap(std::string* out, const Field& field, const Json& json);
  absl::StatusOr<std::string> Message(const Type& type, const Json& json);
  absl::StatusOr<std::string> WellKnownMessage(const Type& type, const Json& json);
  absl::StatusOr<std::string> Any(const View& structure);
  std::optional<std::uint64_t> Bits(const Field& field, const Json& json);
  static std::optional<std::uint64_t> EnumBits(const Field& field, const Json& json);

  Types& types_;
};

bool IsNullValue(const Field& field) {
  return field.descriptor->enum_type()->full_name() == "google.protobuf.NullValue";
}

std::optional<std::uint64_t> Encoder::EnumBits(const Field& field, const Json& json) {
  if (json.kind == JsonKind::kNull && IsNullValue(field)) return 0;
  if (json.kind == JsonKind::kText) {
    const auto* value = field.descriptor->enum_type()->FindValueByName(std::string(json.text()));
    if (value != nullptr) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value->number()));
  }
  const std::optional<std::int32_t> number = Whole<std::int32_t>(json);
  return number ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(std::int64_t{*number})) : std::nullopt;
}

// What stands on the wire for a numeric field; nullopt when the JSON value does not fit it.
std::optional<std::uint64_t> Encoder::Bits(const Field& field, const Json& json) {
  const auto as_bits = [](auto number) -> std::optional<std::uint64_t> {
    if (!number) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
  };
  const auto zigzag = [](std::optional<std::int64_t> n) -> std::optional<std::uint64_t> {
    if (!n) return std::nullopt;
    return (static_cast<std::uint64_t>(*n) << 1) ^ static_cast<std::uint64_t>(*n >> 63);
  };
  switch (field.kind) {
    case Kind::kEnum:
      return EnumBits(field, json);
    case Kind::kBool:
      return json.kind == JsonKind::kBool ? std::optional<std::uint64_t>(json.value->bits) : std::nullopt;
    case Kind::kSint32:
      return zigzag(Whole<std::int32_t>(json));
    case Kind::kSint64:
      return zigzag(Whole<std::int64_t>(json));
    case Kind::kInt32:
    case Kind::kSfixed32: {
      const std::optional<std::int32_t> number = Whole<std::int32_t>(json);
      return number ? as_bits(std::optional<std::int64_t>(*number)) : std::nullopt;
    }
    case Kind::kInt64:
    case Kind::kSfixed64:
      return as_bits(Whole<std::int64_t>(json));
    case Kind::kUint32:
    case Kind::kFixed32:
      return as_bits(Whole<std::uint32_t>(json));
    case Kind::kFloat: {
      const std::optional<double> number = Real(json);
      return number ? std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(static_cast<float>(*number)))
                    : std::nullopt;
    }
    case Kind::kDouble: {
      const std::optional<double> number = Real(json);
      return number ? std::optional<std::uint64_t>(std::bit_cast<std::uint64_t>(*number)) : std::nullopt;
    }
    default:
      return as_bits(Whole<std::uint64_t>(json));
  }
}

absl::Status Encoder::AddNumber(std::string* out, const Field& field, const Json& json) {
  const std::optional<std::uint64_t> bits = Bits(field, json);
  if (!bits) return Bad("the value does not fit the field");
  const std::size_t width = FixedWidth(field.kind);
  if (width == 0) {
    base::AppendTag(out, field.number, WireType::kVarint);
    base::AppendVarint(out, *bits);
  } else {
    base::AppendTag(out, field.number, width == 4 ? WireType::kFixed32 : WireType::kFixed64);
    AppendFixed(out, *bits, width);
  }
  return absl::OkStatus();
}

absl::Status Encoder::AddValue(std::string* out, const Field& field, const Json& json) {
  if (field.packable()) return AddNumber(out, field, json);
  if (field.kind == Kind::kMessage) {
    absl::StatusOr<std::string> bytes = Message(field.message(), json);
    if (!bytes.ok()) return bytes.status();
    base::AppendBytes(out, field.number, *bytes);
    return absl::OkStatus();
  }
  if (json.kind != JsonKind::kText) return Bad("expected text");
  std::string decoded;
  if (field.kind == Kind::kString) {
    decoded = json.text();
  } else if (!absl::Base64Unescape(base::ToAbsl(json.text()), &decoded) &&
             !absl::WebSafeBase64Unescape(base::ToAbsl(json.text()), &decoded)) {
    return Bad("expected base64");
  }
  base::AppendBytes(out, field.number, decoded);
  return absl::OkStatus();
}

absl::Status Encoder::AddMap(std::string* out, const Field& field, const Json& json) {
  if (json.kind != JsonKind::kObject) return Bad("expected an object");
  const View structure = json.value->AsMessage();
  const Field& key_field = *field.message().Find(1U);
  const Field& value_field = *field.message().Find(2U);
  for (const Fields fields(structure); const Present& present : fields.known()) {
    for (const MapEntry& entry : SortedMap(present)) {
      std::string bytes;
      Json key{JsonKind::kText, entry.key};
      if (key_field.kind == Kind::kBool) key = {JsonKind::kBool, Value{&key_field, entry.key.bytes == "true", {}}};
      absl::Status status = AddValue(&bytes, key_field, key);
      if (status.ok()) status = AddValue(&bytes, value_field, JsonOf(entry.value.AsMessage()));
      if (!status.ok()) return Inside(status, entry.key.bytes);
      base::AppendBytes(out, field.number, bytes);
    }
  }
  return absl::OkStatus();
}

absl::Status Encoder::AddMember(std::string* out, const Field& field, const Json& json) {
  const bool takes_null = (field.kind == Kind::kMessage && field.message().well_known() == WellKnown::kValue) ||
                          (field.kind == Kind::kEnum && IsNullValue(field));
  if (json.kind == JsonKind::kNull && !takes_null) return absl::OkStatus();
  if (field.map) return AddMap(out, field, json);
  if (!field.repeated) return AddValue(out, field, json);
  if (json.kind != JsonKind::kList) return AddValue(out, field, json);  // Envoy takes one element for a list of one
  for (const Fields fields(json.value->AsMessage()); const Present& present : fields.known()) {
    int index = 0;
    for (Elements elements(present); elements.Next(); ++index) {
      const absl::Status status = AddValue(out, field, JsonOf(elements.value().AsMessage()));
      if (!status.ok()) return Inside(status, fmt::format("{}", index));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Encoder::Object(const View& structure, const Type& type, bool skip_at_type) {
  std::string out;
  for (const Fields fields(structure); const Present& present : fields.known()) {
    for (const MapEntry& entry : SortedMap(present)) {
      if (skip_at_type && entry.key.bytes == "@type") continue;
      const Field* field = type.Find(entry.key.bytes);
      const absl::Status status = field == nullptr ? Bad(fmt::format("no such field in {}", type.full_name()))
                                                   : AddMember(&out, *field, JsonOf(entry.value.AsMessage()));
      if (!status.ok()) return Inside(status, entry.key.bytes);
    }
  }
  return out;
}

absl::StatusOr<std::string> Encoder::Any(const View& structure) {
  std::string url;
  std::optional<MapEntry> value;
  for (const Fields fields(structure); const Present& present : fields.known()) {
    for (const MapEntry& entry : SortedMap(present)) {
      if (entry.key.bytes == "@type") url = JsonOf(entry.value.AsMessage()).value.value_or(Value{}).bytes;
      if (entry.key.bytes == "value") value = entry;
    }
  }
  const Type* type = url.empty() ? nullptr : types_.Find(url);
  if (type == nullptr) return base::Error(absl::StatusCode::kNotFound, fmt::format("unknown type \"{}\"", url));
  const bool special = type->well_known() != WellKnown::kNone && type->well_known() != WellKnown::kTypedStruct;
  absl::StatusOr<std::string> bytes = !special ? Object(structure, *type, true)
                                      : value  ? Message(*type, JsonOf(value->value.AsMessage()))
                                               : absl::StatusOr<std::string>(std::string());
  if (!bytes.ok()) return bytes;
  std::string any;
  base::AppendBytes(&any, 1, url);
  base::AppendBytes(&any, 2, *bytes);
  return any;
}

// `seconds` and `nanos` as the two fields of Duration and Timestamp.
std::string SecondsAndNanos(std::int64_t seconds, std::int64_t nanos) {
  std::string out;
  base::AppendTag(&out, 1, WireType::kVarint);
  base::AppendVarint(&out, static_cast<std::uint64_t>(seconds));
  base::AppendTag(&out, 2, WireType::kVarint);
  base::AppendVarint(&out, static_cast<std::uint64_t>(nanos));
  return out;
}

absl::StatusOr<std::string> DurationOf(std::string_view text) {
  absl::Duration duration;
  const bool parsed = text.ends_with('s') && !text.ends_with("ms") && !text.ends_with("us") && !text.ends_with("ns") &&
                      absl::ParseDuration(base::ToAbsl(text), &duration);
  if (!parsed) return Bad("expected a duration such as \"1.5s\"");
  const std::int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &duration);
  return SecondsAndNanos(seconds, absl::ToInt64Nanoseconds(duration));
}

absl::StatusOr<std::string> TimestampOf(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, base::ToAbsl(text), &time, &error)) {
    return Bad("expected a time such as \"2024-01-01T00:00:00Z\"");
  }
  absl::Duration rest;
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  rest = time - absl::FromUnixSeconds(seconds);
  return SecondsAndNanos(seconds, absl::ToInt64Nanoseconds(rest));
}

std::string FieldMaskOf(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string path;
    for (const char c : text.substr(0, comma)) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper) path.push_back('_');
      path.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
    }
    base::AppendBytes(&out, 1, path);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

absl::StatusOr<std::string> Encoder::WellKnownMessage(const Type& type, const Json& json) {
  const bool text = json.kind == JsonKind::kText;
  switch (type.well_known()) {
    case WellKnown::kAny:
      return json.kind == JsonKind::kObject ? Any(json.value->AsMessage()) : Bad("expected an object");
    case WellKnown::kDuration:
      return text ? DurationOf(json.text()) : Bad("expected a duration such as \"1.5s\"");
    case WellKnown::kTimestamp:
      return text ? TimestampOf(json.text()) : Bad("expected a time such as \"2024-01-01T00:00:00Z\"");
    case WellKnown::kFieldMask:
      return text ? absl::StatusOr<std::string>(FieldMaskOf(json.text())) : Bad("expected text");
    case WellKnown::kStruct:
      return json.kind == JsonKind::kObject ? absl::StatusOr<std::string>(std::string(json.text()))
                                            : Bad("expected an object");
    case WellKnown::kListValue:
      return json.kind == JsonKind::kList ? absl::StatusOr<std::string>(std::string(json.text()))
                                          : Bad("expected a list");
    default:
      break;
  }
  std::string out;
  const absl::Status status = AddValue(&out, *type.Find(1U), json);  // a wrapper
  return status.ok() ? absl::StatusOr<std::string>(out) : status;
}

absl::StatusOr<std::string> Encoder::Message(const Type& type, const Json& json) {
  if (type.well_known() == WellKnown::kValue) {
    std::string out;
    if (json.kind == JsonKind::kNull) {
      base::AppendTag(&out, 1, WireType::kVarint);
      base::AppendVarint(&out, 0);
    } else if (json.kind == JsonKind::kNumber) {
      base::AppendTag(&out, 2, WireType::kFixed64);
      AppendFixed(&out, json.value->bits, 8);
    } else if (json.kind == JsonKind::kBool) {
      base::AppendTag(&out, 4, WireType::kVarint);
      base::AppendVarint(&out, json.value->bits);
    } else {
      base::AppendBytes(&out, static_cast<std::uint32_t>(json.kind), json.text());
    }
    return out;
  }
  const bool plain = type.well_known() == WellKnown::kNone || type.well_known() == WellKnown::kTypedStruct ||
                     type.well_known() == WellKnown::kEmpty;
  if (plain || (json.kind == JsonKind::kObject && type.well_known() != WellKnown::kAny &&
                type.well_known() != WellKnown::kStruct)) {
    if (json.kind != JsonKind::kObject) return Bad("expected an object");
    return Object(json.value->AsMessage(), type, false);
  }
  return WellKnownMessage(type, json);
}

}  // namespace

absl::StatusOr<Message> FromStruct(const View& structure, const Type& type, Types& types) {
  absl::StatusOr<std::string> bytes = Encoder(types).Object(structure, type, true);
  if (!bytes.ok()) return bytes.status();
  return DecodeOwned(std::move(*bytes), type);
}

absl::StatusOr<Message> FromTypedStruct(const View& typed_struct, Types& types) {
  const std::string_view url = typed_struct.GetText("type_url");
  const Type* type = types.Find(url);
  if (type == nullptr) return base::Error(absl::StatusCode::kNotFound, fmt::format("unknown type \"{}\"", url));
  const std::optional<Value> value = typed_struct.Get("value");
  if (!value) return DecodeOwned(std::string(), *type);
  return FromStruct(value->AsMessage(), *type, types);
}

}  // namespace xdscope::wire
