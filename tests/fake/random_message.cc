#include "tests/fake/random_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <string_view>

namespace xdscope::fake {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

constexpr std::string_view kPieces[] = {"yes",
                                        "no",
                                        "on",
                                        "True",
                                        "null",
                                        "~",
                                        "",
                                        "010",
                                        "1e3",
                                        "0x1f",
                                        "1:30",
                                        "2001-01-01",
                                        "=",
                                        "<<",
                                        ".inf",
                                        "-.5",
                                        ".nan",
                                        "1_0",
                                        "0b1",
                                        "0o7",
                                        "-",
                                        "- x",
                                        "# x",
                                        " #",
                                        "a: b",
                                        ":",
                                        "---",
                                        "...",
                                        "? ",
                                        "*a",
                                        "&a",
                                        "!t",
                                        "%d",
                                        "@x",
                                        "`",
                                        "{a}",
                                        "[b]",
                                        "'",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\n\n",
                                        "  ",
                                        "\t",
                                        "\r",
                                        "\b",
                                        "\x01",
                                        "\x7f",
                                        "\xC2\x85",
                                        "\xE2\x80\xA8",
                                        "\xEF\xBB\xBF",
                                        "\xEF\xBF\xBE",
                                        "\xC3\xA9",
                                        "\xE4\xB8\xAD",
                                        "\xF0\x9F\x98\x80",
                                        "a",
                                        "host.name",
                                        "/path",
                                        "10.0.0.1",
                                        "outbound|80||x",
                                        "<&>",
                                        ",",
                                        "|",
                                        ">",
                                        "%",
                                        "a long word of some length, with blanks",
                                        "\xC2\x9B",
                                        "y",
                                        "N",
                                        "12",
                                        "+1",
                                        "1.",
                                        "E5",
                                        "0"};

}  // namespace

std::string RandomMessages::Text() {
  std::string text;
  for (unsigned count = Below(4); count > 0; --count) text += kPieces[Below(std::size(kPieces))];
  if (OneIn(50)) text += std::string(1 + Below(300), 'x');
  return text;
}

std::string RandomMessages::BytesText() {
  std::string bytes(Below(12), '\0');
  for (char& c : bytes) c = static_cast<char>(random_());
  return bytes;
}

// Six digits at most, so that a float prints alike with any number of digits.
double RandomMessages::Real() {
  if (OneIn(12)) return std::numeric_limits<double>::infinity() * (OneIn(2) ? 1 : -1);
  if (OneIn(12)) return std::numeric_limits<double>::quiet_NaN();
  const double value = Below(200'000) / 8.0 - 1'000;
  return OneIn(2) ? Below(1'000) : value;
}

int RandomMessages::EnumNumber(const FieldDescriptor* field) {
  const auto* type = field->enum_type();
  const bool open = type->file()->syntax() == google::protobuf::FileDescriptor::SYNTAX_PROTO3;
  const bool null = type->full_name() == "google.protobuf.NullValue";
  if (open && !null && OneIn(10)) return static_cast<int>(Below(100'000)) - 50'000;
  return type->value(static_cast<int>(Below(static_cast<unsigned>(type->value_count()))))->number();
}

void RandomMessages::SetNumber(Message* message, const FieldDescriptor* field) {
  const Reflection& reflection = *message->GetReflection();
  const std::uint64_t bits = (std::uint64_t{random_()} << 32 | random_()) >> (random_() % 64);
  const bool add = field->is_repeated();
  const auto number = [&](auto adder, auto setter, auto value) {
    add ? (reflection.*adder)(message, field, value) : (reflection.*setter)(message, field, value);
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return number(&Reflection::AddInt32, &Reflection::SetInt32, static_cast<std::int32_t>(bits));
    case FieldDescriptor::CPPTYPE_UINT32:
      return number(&Reflection::AddUInt32, &Reflection::SetUInt32, static_cast<std::uint32_t>(bits));
    case FieldDescriptor::CPPTYPE_INT64:
      return number(&Reflection::AddInt64, &Reflection::SetInt64, static_cast<std::int64_t>(bits));
    case FieldDescriptor::CPPTYPE_UINT64:
      return number(&Reflection::AddUInt64, &Reflection::SetUInt64, bits);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return number(&Reflection::AddFloat, &Reflection::SetFloat, static_cast<float>(Real()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return number(&Reflection::AddDouble, &Reflection::SetDouble, Real() * (OneIn(9) ? 1e20 / 3 : 1));
    case FieldDescriptor::CPPTYPE_BOOL:
      return number(&Reflection::AddBool, &Reflection::SetBool, OneIn(2));
    default:
      return number(&Reflection::AddEnumValue, &Reflection::SetEnumValue, EnumNumber(field));
  }
}

void RandomMessages::FillField(Message* message, const FieldDescriptor* field, int depth) {
  const Reflection& reflection = *message->GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    Fill(field->is_repeated() ? reflection.AddMessage(message, field) : reflection.MutableMessage(message, field),
         depth - 1);
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    const std::string text = field->type() == FieldDescriptor::TYPE_BYTES ? BytesText() : Text();
    field->is_repeated() ? reflection.AddString(message, field, text) : reflection.SetString(message, field, text);
  } else {
    SetNumber(message, field);
  }
}

void RandomMessages::FillMap(Message* message, const FieldDescriptor* field, int depth) {
  const FieldDescriptor* key = field->message_type()->FindFieldByNumber(1);
  const bool text = key->type() == FieldDescriptor::TYPE_STRING;
  for (unsigned n = text ? 1 + Below(3) : 1; n > 0; --n) {
    Message* entry = message->GetReflection()->AddMessage(message, field);
    Fill(entry, depth - 1);
    // A key that stands there already would make two entries one.
    if (text && n > 1) entry->GetReflection()->SetString(entry, key, Text() + std::string(n, '*'));
  }
}

void RandomMessages::Fill(Message* message, int depth) {
  if (FillWellKnown(message, depth)) return;
  const Descriptor* descriptor = message->GetDescriptor();
  const bool entry = descriptor->options().map_entry();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const bool message_field = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field->type() == FieldDescriptor::TYPE_GROUP) continue;
    if (message_field && depth <= 0 && !entry) continue;
    if (!entry && OneIn(2)) continue;
    if (field->is_map()) {
      FillMap(message, field, depth);
      continue;
    }
    const unsigned count = field->is_repeated() ? 1 + Below(3) : 1;
    for (unsigned n = 0; n < count; ++n) FillField(message, field, depth);
  }
}

void RandomMessages::FillValue(Message* message, int depth) {
  const Descriptor* descriptor = message->GetDescriptor();
  // Members 5 and 6 are an object and a list.
  const unsigned kinds = depth > 0 ? 6 : 4;
  const int kind = 1 + static_cast<int>(Below(kinds));
  FillField(message, descriptor->FindFieldByNumber(kind), depth);
}

void RandomMessages::FillAny(Message* message, int depth) {
  const Descriptor* descriptor = message->GetDescriptor();
  const Reflection& reflection = *message->GetReflection();
  const Descriptor* type = any_types_[Below(any_types_.size())];
  const std::unique_ptr<Message> content(factory_.GetPrototype(type)->New());
  Fill(content.get(), depth - 1);
  reflection.SetString(message, descriptor->FindFieldByNumber(1), "type.googleapis.com/" + type->full_name());
  reflection.SetString(message, descriptor->FindFieldByNumber(2), content->SerializePartialAsString());
}

bool RandomMessages::FillWellKnown(Message* message, int depth) {
  const Descriptor* descriptor = message->GetDescriptor();
  const Reflection& reflection = *message->GetReflection();
  const std::string& name = descriptor->full_name();
  const auto field = [&](int number) { return descriptor->FindFieldByNumber(number); };
  if (name == "google.protobuf.Any") {
    FillAny(message, depth);
  } else if (name == "google.protobuf.Value") {
    FillValue(message, depth);
  } else if (name == "google.protobuf.Duration" || name == "google.protobuf.Timestamp") {
    const std::int64_t sign = name.ends_with("Duration") && OneIn(3) ? -1 : 1;
    constexpr int kScales[] = {1, 1'000, 1'000'000};
    const auto nanos = std::int64_t{Below(1'000)} * kScales[Below(3)];
    reflection.SetInt64(message, field(1), sign * std::int64_t{OneIn(3) ? 0 : Below(4'000'000'000)});
    reflection.SetInt32(message, field(2), static_cast<std::int32_t>(sign * (OneIn(2) ? 0 : nanos)));
  } else if (name == "google.protobuf.FieldMask") {
    constexpr std::string_view kPaths[] = {"a",
                                           "foo_bar",
                                           "foo_bar.baz_qux",
                                           "camelCase",
                                           "__x_1",
                                           "FOOBar",
                                           "a(b_c)",
                                           "m[\"k_v\\\"x\"].c_d",
                                           "HTTPFilter",
                                           "",
                                           "a__b",
                                           "x_Y",
                                           "trailing_"};
    for (unsigned n = Below(4); n > 0; --n) {
      reflection.AddString(message, field(1), std::string(kPaths[Below(std::size(kPaths))]));
    }
  } else {
    return false;
  }
  return true;
}

std::unique_ptr<Message> RandomMessages::Make(const Descriptor& descriptor, int depth) {
  std::unique_ptr<Message> message(factory_.GetPrototype(&descriptor)->New());
  Fill(message.get(), depth);
  return message;
}

std::string Serialized(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace xdscope::fake
