#include "tests/fake/text_messages.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "tests/fake/random_message.h"

namespace xdscope::fake {

std::unique_ptr<google::protobuf::Message> TextMessages::New(std::string_view type) {
  const std::string_view name = type.substr(type.rfind('/') + 1);
  const google::protobuf::Descriptor* descriptor = schema_.FindMessage(name);
  EXPECT_NE(descriptor, nullptr) << name;
  if (descriptor == nullptr) return nullptr;
  return std::unique_ptr<google::protobuf::Message>(factory_.GetPrototype(descriptor)->New());
}

std::unique_ptr<google::protobuf::Message> TextMessages::Parse(std::string_view type, std::string_view text) {
  std::unique_ptr<google::protobuf::Message> message = New(type);
  if (message == nullptr) return nullptr;
  const bool good = google::protobuf::TextFormat::ParseFromString(std::string(text), message.get());
  EXPECT_TRUE(good) << text;
  return good ? std::move(message) : nullptr;
}

std::string TextMessages::Bytes(std::string_view type, std::string_view text) {
  const std::unique_ptr<google::protobuf::Message> message = Parse(type, text);
  return message == nullptr ? std::string() : Serialized(*message);
}

std::string TextMessages::Text(std::string_view type, std::string_view bytes) {
  const std::unique_ptr<google::protobuf::Message> message = New(type);
  if (message == nullptr || !message->ParsePartialFromString(std::string(bytes))) return "error";
  std::string text;
  google::protobuf::TextFormat::PrintToString(*message, &text);
  return text;
}

}  // namespace xdscope::fake
