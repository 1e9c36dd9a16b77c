#include "tests/unit/protocol/oracle.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"

namespace xdscope::protocol::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

const FieldDescriptor* Field(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  GOOGLE_CHECK(field != nullptr) << message.GetDescriptor()->full_name() << " has no " << name;
  return field;
}

const Reflection& Of(const Message& message) {
  return *message.GetReflection();
}

}  // namespace

std::unique_ptr<Message> NewMessage(std::string_view full_name) {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  static auto* const factory = new google::protobuf::DynamicMessageFactory();
  return std::unique_ptr<Message>(factory->GetPrototype(schema->FindMessage(full_name))->New());
}

bool Parse(std::string_view bytes, Message* message) {
  const google::protobuf::LogSilencer silence;
  return message->ParseFromString(std::string(bytes));
}

std::unique_ptr<Message> Parsed(std::string_view full_name, std::string_view bytes) {
  std::unique_ptr<Message> message = NewMessage(full_name);
  EXPECT_TRUE(Parse(bytes, message.get())) << full_name;
  return message;
}

std::string Serialized(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializeToCodedStream(&coded));
  coded.Trim();
  return bytes;
}

bool Has(const Message& message, const std::string& field) {
  return Of(message).HasField(message, Field(message, field));
}

std::string Text(const Message& message, const std::string& field) {
  return Of(message).GetString(message, Field(message, field));
}

std::vector<std::string> Texts(const Message& message, const std::string& field) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < Count(message, field); ++i) {
    texts.push_back(Of(message).GetRepeatedString(message, Field(message, field), static_cast<int>(i)));
  }
  return texts;
}

std::int64_t Number(const Message& message, const std::string& name) {
  const FieldDescriptor* field = Field(message, name);
  const bool is_short = field->cpp_type() == FieldDescriptor::CPPTYPE_INT32;
  return is_short ? Of(message).GetInt32(message, field) : Of(message).GetInt64(message, field);
}

const Message& Sub(const Message& message, const std::string& field) {
  return Of(message).GetMessage(message, Field(message, field));
}

std::size_t Count(const Message& message, const std::string& field) {
  return static_cast<std::size_t>(Of(message).FieldSize(message, Field(message, field)));
}

const Message& Sub(const Message& message, const std::string& field, std::size_t index) {
  return Of(message).GetRepeatedMessage(message, Field(message, field), static_cast<int>(index));
}

void SetText(Message* message, const std::string& field, std::string_view text) {
  Of(*message).SetString(message, Field(*message, field), std::string(text));
}

void SetNumber(Message* message, const std::string& name, std::int64_t number) {
  const FieldDescriptor* field = Field(*message, name);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    Of(*message).SetInt32(message, field, static_cast<std::int32_t>(number));
  } else {
    Of(*message).SetInt64(message, field, number);
  }
}

void AddText(Message* message, const std::string& field, std::string_view text) {
  Of(*message).AddString(message, Field(*message, field), std::string(text));
}

Message* Mutable(Message* message, const std::string& field) {
  return Of(*message).MutableMessage(message, Field(*message, field));
}

Message* Add(Message* message, const std::string& field) {
  return Of(*message).AddMessage(message, Field(*message, field));
}

}  // namespace xdscope::protocol::testing
