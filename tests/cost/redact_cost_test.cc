// Hiding secrets costs what the bytes are long, in Structs too, which are read as the messages that they spell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lib/base/fields.h"
#include "lib/format/redact.h"
#include "lib/schema/schema.h"
#include "lib/wire/message.h"
#include "tests/cost/steps.h"

namespace xdscope::format {
namespace {

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  base::AppendBytes(&field, number, bytes);
  return field;
}

// One member of a google.protobuf.Struct; `kind` is the number of a field of google.protobuf.Value.
std::string Member(std::string_view key, std::uint32_t kind, std::string_view value) {
  return Field(1, Field(1, key) + Field(2, Field(kind, value)));
}

constexpr std::uint32_t kText = 3;
constexpr std::uint32_t kStruct = 5;

TEST(RedactCost, AStructThatSpellsAnAnyOfManyMembers) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  cost::ExpectLinear(
      [&](int size) {
        std::string any = Member("@type", kText, "x/envoy.config.cluster.v3.Cluster");
        for (int i = 0; i < size; ++i) any += Member(fmt::format("{:06}", i), kText, "x");
        const std::string bytes =
            Field(1, "x/envoy.config.core.v3.TypedExtensionConfig") + Field(2, Member("typed_config", kStruct, any));
        return [&types, bytes] { EXPECT_FALSE(Redactor(types).Payload("x/xds.type.v3.TypedStruct", bytes).empty()); };
      },
      500);
}

// A label is read once for each message, however often its values stand there.
TEST(RedactCost, AHeaderOfManyValuesAndAStructThatSpellsOne) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  cost::ExpectLinear(
      [&](int size) {
        std::string header = Field(1, "cookie");
        std::string spelled = Member("key", kText, "cookie");
        for (int i = 0; i < size; ++i) header += Field(2, "x");
        for (int i = 0; i < size; ++i) spelled += Member("value", kText, "x");
        const std::string bytes = Field(1, "x/envoy.config.core.v3.HeaderValue") + Field(2, spelled);
        return [&types, header, bytes] {
          EXPECT_FALSE(Redactor(types).Payload("x/envoy.config.core.v3.HeaderValue", header).empty());
          EXPECT_FALSE(Redactor(types).Payload("x/xds.type.v3.TypedStruct", bytes).empty());
        };
      },
      500);
}

TEST(RedactCost, ATypedStructThatSpellsATypedStructOfManyMembers) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  cost::ExpectLinear(
      [&](int size) {
        std::string spelled = Member("type_url", kText, "x/envoy.config.cluster.v3.Cluster");
        for (int i = 0; i < size; ++i) spelled += Member("value", kStruct, Member("a", kText, "x"));
        const std::string bytes = Field(1, "x/xds.type.v3.TypedStruct") + Field(2, spelled);
        return [&types, bytes] { EXPECT_FALSE(Redactor(types).Payload("x/xds.type.v3.TypedStruct", bytes).empty()); };
      },
      500);
}

TEST(RedactCost, AResponseOfManySecrets) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  const std::string url = "x/envoy.extensions.transport_sockets.tls.v3.Secret";
  cost::ExpectLinear(
      [&](int size) {
        std::string response = Field(4, url);
        for (int i = 0; i < size; ++i) response += Field(2, Field(1, url) + Field(2, Field(1, "a")));
        return [&types, response] {
          const auto message = wire::Decode(response, *types.Find("envoy.service.discovery.v3.DiscoveryResponse"));
          ASSERT_TRUE(message.ok());
          EXPECT_FALSE(Redactor(types).Message(message->view()).empty());
        };
      },
      500);
}

TEST(RedactCost, BrokenBytesAndALongKey) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  const std::string broken = Field(1, "x/envoy.config.listener.v3.Listener") + Field(2, "\xff");
  cost::ExpectLinear(
      [&](int size) {
        std::string metadata = Member(std::string(static_cast<std::size_t>(size), '-') + "aB", kText, "x");
        std::string resources;
        for (int i = 0; i < size; ++i) resources += Field(2, broken);
        return [&types, metadata, resources] {
          EXPECT_FALSE(Redactor(types).Payload("x/google.protobuf.Struct", metadata).empty());
          EXPECT_FALSE(Redactor(types).Payload("x/envoy.service.discovery.v3.DiscoveryResponse", resources).empty());
        };
      },
      500);
}

}  // namespace
}  // namespace xdscope::format
