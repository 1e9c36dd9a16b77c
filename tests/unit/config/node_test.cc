#include "lib/config/node.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <memory>

#include "lib/config/metadata.h"

namespace xdscope::config {
namespace {

using testing::HasSubstr;

const schema::Schema& Builtin() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  return *schema;
}

// The node as JSON, read back by protobuf.
std::string Json(const std::string& bytes) {
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> node(
      factory.GetPrototype(Builtin().FindMessage("envoy.config.core.v3.Node"))->New());
  EXPECT_TRUE(node->ParseFromString(bytes));
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(*node, &json).ok());
  return json;
}

// A google.protobuf.Value on the wire.
std::string FromJson(std::string_view text) {
  wire::Types types(Builtin());
  absl::StatusOr<std::string> value = EncodeMetadataJson(text, "", types);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : std::string();
}

absl::StatusOr<std::string> Encode(std::string_view text) {
  const absl::StatusOr<Document> document = ParseDocument(text, "f");
  if (!document.ok()) return document.status();
  wire::Types types(Builtin());
  return EncodeNode(*document, types);
}

std::string Encoded(std::string_view text) {
  const absl::StatusOr<std::string> bytes = Encode(text);
  return bytes.ok() ? Json(*bytes) : std::string(base::Message(bytes.status()));
}

TEST(MakeNode, WithoutAnythingIsTheDefaultNode) {
  const Node node = MakeNode("", {}, ProfileOf(ClientKind::kEnvoy), "1.2");
  EXPECT_EQ(node.id, "xdscope");
  EXPECT_TRUE(node.id_is_default);
  EXPECT_EQ(Json(node.bytes), R"({"id":"xdscope","userAgentName":"xdscope","userAgentVersion":"1.2",)"
                              R"("clientFeatures":["xds.config.resource-in-sotw"]})");
}

TEST(MakeNode, PutsWhatIsSaidOverTheWholeNode) {
  const absl::StatusOr<std::string> base = Encode(
      R"({"id": "old", "cluster": "c", "metadata": {"a": "1", "b": "2"}, "locality": {"region": "r", "zone": "z"},
          "userAgentName": "envoy", "clientFeatures": ["f1"]})");
  ASSERT_TRUE(base.ok()) << base.status();
  NodeOverrides overrides;
  overrides.id = "new";
  overrides.locality = Locality{"r2", "", ""};
  overrides.metadata.emplace_back("b", FromJson("[3, null, {\"x\": false}]"));
  overrides.client_features = {"f2", "f1"};
  const Node node = MakeNode(*base, overrides, ProfileOf(ClientKind::kEnvoy), "1.2");
  EXPECT_EQ(node.id, "new");
  EXPECT_FALSE(node.id_is_default);
  EXPECT_EQ(Json(node.bytes),
            R"({"id":"new","cluster":"c","metadata":{"a":"1","b":[3,null,{"x":false}]},"locality":{"region":"r2"},)"
            R"("userAgentName":"envoy","clientFeatures":["f1","xds.config.resource-in-sotw","f2"]})");
}

TEST(MakeNode, AnIdThatIsTheDefaultsButWasSaidIsNotTheDefault) {
  NodeOverrides overrides;
  overrides.id = "xdscope";
  EXPECT_FALSE(MakeNode("", overrides, ProfileOf(ClientKind::kEnvoy), "1").id_is_default);
}

TEST(MakeNode, EncodesEveryKindOfMetadata) {
  NodeOverrides overrides;
  overrides.metadata.emplace_back("n", FromJson("-1.5e3"));
  overrides.metadata.emplace_back("t", FromJson("\"x\""));
  overrides.metadata.emplace_back("m", FromJson(R"({"a": [], "b": {}, "c": null})"));
  const Node node = MakeNode("", overrides, ProfileOf(ClientKind::kStrict), "1");
  const std::string json = Json(node.bytes);  // protobuf prints the keys in any order
  for (const char* member : {R"("n":-1500)", R"("t":"x")", R"("m":{)", R"("a":[])", R"("b":{})", R"("c":null)"}) {
    EXPECT_THAT(json, HasSubstr(member));
  }
}

TEST(EncodeNode, TakesANodeABootstrapAndAConfigDump) {
  const std::string expected = R"({"id":"x","cluster":"c"})";
  EXPECT_EQ(Encoded("id: x\ncluster: c\n"), expected);
  EXPECT_EQ(Encoded(R"({"id": "x", "cluster": "c"})"), expected);
  EXPECT_EQ(Encoded("node: {id: x, cluster: c}\nadmin: {}\n"), expected);
  EXPECT_EQ(Encoded(R"({"xds_servers": [], "node": {"id": "x", "cluster": "c", "grpcOnly": 1}})"), expected);
  EXPECT_EQ(Encoded(R"({"configs": [{"@type": "t/envoy.admin.v3.BootstrapConfigDump", "bootstrap":
                        {"node": {"id": "x", "cluster": "c"}}}]})"),
            expected);
}

TEST(EncodeNode, ErrorsNameFileLineAndPath) {
  EXPECT_EQ(Encoded("id: x\nclutser: c\n"),
            "f:2: clutser: no such field in envoy.config.core.v3.Node (nearest: cluster)");
  EXPECT_EQ(Encoded("id: x\nlocality:\n  regoin: r\n"),
            "f:3: locality.regoin: no such field in envoy.config.core.v3.Locality (nearest: region)");
  EXPECT_EQ(Encoded("node:\n  id: [x]\n"), "f:2: node.id: expected text, not a list");
  EXPECT_EQ(Encoded("id: 5\n"), "f:1: id: expected text, not a number");
  EXPECT_EQ(Encoded("locality: x\n"), "f:1: locality: expected a map, not text");
  EXPECT_EQ(Encoded("id: x\nlocality: 1\nclutser: c\n").substr(0, 4), "f:2:") << "the first in the text";
  EXPECT_EQ(Encoded("[1]"), "f:1: expected a node, not a list");
  EXPECT_EQ(Encoded(R"({"configs": []})"), "f: this /config_dump has no bootstrap");
}

TEST(EncodeNode, TakesOneValueInPlaceOfAListAsEnvoyDoes) {
  EXPECT_EQ(Encoded("client_features: x\n"), R"({"clientFeatures":["x"]})");
}

TEST(EncodeNode, OfABootstrapWithoutOneIsEmpty) {
  const absl::StatusOr<std::string> bytes = Encode("static_resources: {}");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, "");
}

TEST(ParseLocality, TakesOneToThreeParts) {
  EXPECT_EQ(ParseLocality("a")->region, "a");
  EXPECT_EQ(ParseLocality("a/b")->zone, "b");
  EXPECT_EQ(ParseLocality("a/b/c")->sub_zone, "c");
  for (const char* bad : {"", "/b", "a/b/c/d"}) EXPECT_FALSE(ParseLocality(bad).ok()) << bad;
}

}  // namespace
}  // namespace xdscope::config
