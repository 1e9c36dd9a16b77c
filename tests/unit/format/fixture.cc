#include "tests/unit/format/fixture.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace xdscope::format {

std::unique_ptr<google::protobuf::Message> Api::Parse(std::string_view full_name, std::string_view text) {
  const auto* descriptor = schema.FindMessage(full_name);
  EXPECT_NE(descriptor, nullptr) << full_name;
  if (descriptor == nullptr) return nullptr;
  std::unique_ptr<google::protobuf::Message> message(factory.GetPrototype(descriptor)->New());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text), message.get())) << text;
  return message;
}

std::string Api::Bytes(std::string_view full_name, std::string_view text) {
  const auto message = Parse(full_name, text);
  return message == nullptr ? std::string() : message->SerializeAsString();
}

Api& SharedApi() {
  static Api* const api = new Api;
  return *api;
}

std::string Collect(const std::function<void(Output&)>& write) {
  std::string all;
  Output out([&all](std::string_view chunk) {
    all.append(chunk);
    return absl::OkStatus();
  });
  write(out);
  EXPECT_TRUE(out.Flush().ok());
  return all;
}

namespace {

std::string Walk(const WalkOptions& options, Spelling spelling, const std::function<void(Walker&)>& walk) {
  return Collect([&](Output& out) {
    std::unique_ptr<Writer> writer;
    switch (spelling) {
      case Spelling::kJson:
        writer = std::make_unique<JsonWriter>(out, JsonWriter::Layout::kIndented);
        break;
      case Spelling::kCompact:
        writer = std::make_unique<JsonWriter>(out, JsonWriter::Layout::kCompact);
        break;
      case Spelling::kYaml:
        writer = std::make_unique<YamlWriter>(out);
        break;
      case Spelling::kText:
        writer = std::make_unique<TextWriter>(out);
        break;
    }
    Walker walker(SharedApi().types, options, *writer);
    walk(walker);
  });
}

}  // namespace

std::string Show(std::string_view full_name, std::string_view text, const WalkOptions& options, Spelling spelling) {
  return ShowBytes(full_name, SharedApi().Bytes(full_name, text), options, spelling);
}

std::string ShowBytes(std::string_view full_name, std::string_view bytes, const WalkOptions& options,
                      Spelling spelling) {
  const wire::Type* type = SharedApi().types.Find(full_name);
  EXPECT_NE(type, nullptr) << full_name;
  if (type == nullptr) return {};
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *type);
  EXPECT_TRUE(message.ok()) << message.status();
  if (!message.ok()) return {};
  return Walk(options, spelling, [&](Walker& walker) { walker.Message(message->view()); });
}

std::string ShowAny(std::string_view type_url, std::string_view bytes, const WalkOptions& options, Spelling spelling,
                    std::string_view response_type) {
  return Walk(options, spelling, [&](Walker& walker) { walker.Any(type_url, bytes, response_type); });
}

}  // namespace xdscope::format
