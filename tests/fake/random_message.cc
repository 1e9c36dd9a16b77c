#include "tests/fake/random_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

namespace xdscope::fake {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr const char* kAnyTypes[] = {"envoy.config.core.v3.Locality", "envoy.type.v3.FractionalPercent",
                                     "google.protobuf.Duration", "google.protobuf.StringValue",
                                     "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"};

const FieldDescriptor& Named(const Message& message, const char* name) {
  return *message.GetDescriptor()->FindFieldByName(name);
}

}  // namespace

std::string Serialized(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::unique_ptr<Message> RandomMessages::Make(const Descriptor& descriptor, int depth) {
  std::unique_ptr<Message> message(factory_.GetPrototype(&descriptor)->New());
  Fill(*message, depth);
  return message;
}

std::string RandomMessages::Text() {
  constexpr const char* kPieces[] = {"a", "outbound|80||",    "é",   "\n",  "\"", "\\", "x y",
                                     "0", "\xF0\x9F\x98\x80", "<&>", "\x01"};
  std::string text;
  for (std::uint32_t n = Below(4); n > 0; --n) text += kPieces[Below(std::size(kPieces))];
  return text;
}

bool RandomMessages::FillWellKnown(Message& message, int depth) {
  const std::string& name = message.GetDescriptor()->full_name();
  const Reflection& reflection = *message.GetReflection();
  if (name == "google.protobuf.Any") {
    const char* type = kAnyTypes[Below(std::size(kAnyTypes))];
    reflection.SetString(&message, &Named(message, "type_url"), std::string("type.googleapis.com/") + type);
    reflection.SetString(&message, &Named(message, "value"), Serialized(*Make(*schema_.FindMessage(type), depth - 1)));
    return true;
  }
  if (name == "google.protobuf.Duration" || name == "google.protobuf.Timestamp") {
    const bool negative = name == "google.protobuf.Duration" && Below(4) == 0;
    const std::int64_t sign = negative ? -1 : 1;
    reflection.SetInt64(&message, &Named(message, "seconds"), sign * std::int64_t{Below(100000)});
    constexpr std::int32_t kNanos[] = {0, 500000000, 1000, 1, 120000000};
    reflection.SetInt32(&message, &Named(message, "nanos"), static_cast<std::int32_t>(sign) * kNanos[Below(5)]);
    return true;
  }
  if (name == "google.protobuf.FieldMask") {
    reflection.AddString(&message, &Named(message, "paths"), "some_field.other_field");
    return true;
  }
  if (name != "google.protobuf.Value") return false;
  constexpr const char* kKinds[] = {"null_value", "number_value", "string_value",
                                    "bool_value", "struct_value", "list_value"};
  SetOne(message, Named(message, kKinds[Below(depth > 0 ? 6 : 4)]), depth);
  return true;
}

void RandomMessages::Fill(Message& message, int depth) {
  if (FillWellKnown(message, depth)) return;
  const Descriptor& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    if (descriptor.options().map_entry()) {
      SetOne(message, *descriptor.field(i), depth);  // a Value that is not set has no JSON form
    } else if (Below(2) == 0) {
      FillField(message, *descriptor.field(i), depth);
    }
  }
}

void RandomMessages::FillField(Message& message, const FieldDescriptor& field, int depth) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && depth <= 0) return;
  const std::uint32_t times = field.is_repeated() ? Below(4) : 1;
  for (std::uint32_t i = 0; i < times; ++i) SetOne(message, field, depth);
}

void RandomMessages::SetOne(Message& message, const FieldDescriptor& field, int depth) {
  const Reflection& reflection = *message.GetReflection();
  const auto set = [&](auto setter, auto adder, auto value) {
    if (field.is_repeated()) {
      (reflection.*adder)(&message, &field, value);
    } else {
      (reflection.*setter)(&message, &field, value);
    }
  };
  const std::uint32_t pick = Below(5);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      constexpr std::int32_t kValues[] = {0, 1, -1, std::numeric_limits<std::int32_t>::max(),
                                          std::numeric_limits<std::int32_t>::min()};
      return set(&Reflection::SetInt32, &Reflection::AddInt32, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      constexpr std::int64_t kValues[] = {0, 1, -1, std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::min()};
      return set(&Reflection::SetInt64, &Reflection::AddInt64, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      constexpr std::uint32_t kValues[] = {0, 1, 80, 65536, 0xFFFFFFFF};
      return set(&Reflection::SetUInt32, &Reflection::AddUInt32, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      constexpr std::uint64_t kValues[] = {0, 1, 1U << 20, std::uint64_t{1} << 53, ~std::uint64_t{0}};
      return set(&Reflection::SetUInt64, &Reflection::AddUInt64, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      constexpr double kValues[] = {0, 1, -0.5, 1e300, 0.1};
      return set(&Reflection::SetDouble, &Reflection::AddDouble, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      constexpr float kValues[] = {0, 1, -0.5F, 1e30F, 0.1F};
      return set(&Reflection::SetFloat, &Reflection::AddFloat, kValues[pick]);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return set(&Reflection::SetBool, &Reflection::AddBool, Below(2) == 1);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* values = field.enum_type();
      const int index = static_cast<int>(Below(static_cast<std::uint32_t>(values->value_count())));
      return set(&Reflection::SetEnumValue, &Reflection::AddEnumValue, values->value(index)->number());
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = field.type() == FieldDescriptor::TYPE_BYTES ? Text() + "\xFF" : Text();
      if (field.is_repeated()) return reflection.AddString(&message, &field, text);
      return reflection.SetString(&message, &field, text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Fill(
          field.is_repeated() ? *reflection.AddMessage(&message, &field) : *reflection.MutableMessage(&message, &field),
          depth - 1);
  }
}

}  // namespace xdscope::fake
