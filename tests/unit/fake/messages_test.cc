// The builders of test messages against protobuf: what they write is what the schema says the fields are.
#include "tests/fake/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/text_messages.h"

namespace xdscope::fake {
namespace {

constexpr std::string_view kSotw = "envoy.service.discovery.v3.DiscoveryResponse";
constexpr std::string_view kDelta = "envoy.service.discovery.v3.DeltaDiscoveryResponse";

class MessagesTest : public testing::Test {
 protected:
  // Expects that protobuf reads `bytes` as the message that it reads from `text`.
  void ExpectIs(std::string_view type, std::string_view bytes, std::string_view text) {
    EXPECT_EQ(texts_.Text(type, bytes), texts_.Text(type, texts_.Bytes(type, text)));
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  TextMessages texts_{schema_};
};

TEST_F(MessagesTest, ASotwResponseHasItsResourcesBareOrWrapped) {
  const Response response = {
      .type_url = kCds,
      .version = "7",
      .nonce = "n1",
      .resources = {{.name = "a"},
                    {.name = "b", .version = "2", .aliases = {"x", "y"}, .ttl_seconds = 9, .wrapped = true},
                    {.name = "c", .wrapped = true, .has_payload = false}},
      .errors = {{.name = "d", .code = 7, .message = "no"}},
      .control_plane = "me",
  };
  ExpectIs(kSotw, Sotw(response), R"(
      version_info: "7"
      resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "a" } }
      resources { [type.googleapis.com/envoy.service.discovery.v3.Resource] {
        name: "b" version: "2" aliases: "x" aliases: "y" ttl { seconds: 9 }
        resource { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "b" } } } }
      resources { [type.googleapis.com/envoy.service.discovery.v3.Resource] { name: "c" } }
      type_url: "type.googleapis.com/envoy.config.cluster.v3.Cluster"
      nonce: "n1"
      control_plane { identifier: "me" }
      resource_errors { resource_name { name: "d" } error_detail { code: 7 message: "no" } })");
}

TEST_F(MessagesTest, ADeltaResponseHasItsResourcesWrapped) {
  const Response response = {
      .type_url = kEds,
      .version = "7",
      .nonce = "n1",
      .resources = Named({"a@1", "b"}),
      .removed = {"c", "d"},
      .errors = {{.name = "e"}},
      .control_plane = "me",
  };
  ExpectIs(kDelta, Delta(response), R"(
      system_version_info: "7"
      resources { name: "a" version: "1" resource {
        [type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment] { cluster_name: "a" } } }
      resources { name: "b" resource {
        [type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment] { cluster_name: "b" } } }
      type_url: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
      nonce: "n1"
      removed_resources: "c" removed_resources: "d"
      control_plane { identifier: "me" }
      resource_errors { resource_name { name: "e" } error_detail { code: 5 message: "for a reason" } })");
}

TEST_F(MessagesTest, AResourceMayHaveAnyBytesOfAnyType) {
  const std::string bytes = Sotw(
      {.type_url = kCds, .version = "1", .nonce = "1", .resources = {{.payload = Payload("r"), .type_url = kRds}}});
  ExpectIs(kSotw, bytes, R"(
      version_info: "1"
      resources { [type.googleapis.com/envoy.config.route.v3.RouteConfiguration] { name: "r" } }
      type_url: "type.googleapis.com/envoy.config.cluster.v3.Cluster"
      nonce: "1")");
}

TEST_F(MessagesTest, PayloadsAreTheBytesOfAResource) {
  const std::vector<std::string> clusters = {EdsCluster("a", AdsSource()), EdsCluster("b", FileSource("/e"), "s")};
  ExpectIs(kSotw, Sotw({.type_url = kCds, .version = "1", .nonce = "1", .resources = Payloads(clusters)}), R"(
      version_info: "1"
      resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] {
        name: "a" eds_cluster_config { eds_config { ads {} } } } }
      resources { [type.googleapis.com/envoy.config.cluster.v3.Cluster] {
        name: "b" eds_cluster_config { eds_config { path: "/e" } service_name: "s" } } }
      type_url: "type.googleapis.com/envoy.config.cluster.v3.Cluster"
      nonce: "1")");
}

TEST_F(MessagesTest, ASotwRequestAnswersOrAsks) {
  const std::string bytes = SotwRequest({.type_url = kEds,
                                         .version = "1",
                                         .nonce = "n1",
                                         .names = {"a", "b"},
                                         .error = {{3, "bad"}},
                                         .node = Node("me", {"f", "g"})});
  ExpectIs("envoy.service.discovery.v3.DiscoveryRequest", bytes, R"(
      version_info: "1"
      node { id: "me" client_features: "f" client_features: "g" }
      resource_names: "a" resource_names: "b"
      type_url: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
      response_nonce: "n1"
      error_detail { code: 3 message: "bad" })");
}

TEST_F(MessagesTest, ADeltaRequestSubscribesAndResumes) {
  const std::string bytes = DeltaRequest({.type_url = kEds,
                                          .nonce = "n1",
                                          .names = {"a", "*"},
                                          .unsubscribe = {"b"},
                                          .initial_versions = {{"c", "1"}},
                                          .error = {{3, "bad"}},
                                          .node = Node("me")});
  ExpectIs("envoy.service.discovery.v3.DeltaDiscoveryRequest", bytes, R"(
      node { id: "me" }
      type_url: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
      resource_names_subscribe: "a" resource_names_subscribe: "*"
      resource_names_unsubscribe: "b"
      initial_resource_versions { key: "c" value: "1" }
      response_nonce: "n1"
      error_detail { code: 3 message: "bad" })");
}

TEST_F(MessagesTest, NothingIsWrittenOfNothing) {
  EXPECT_EQ(Sotw({}), "");
  EXPECT_EQ(Delta({}), "");
  EXPECT_EQ(SotwRequest({}), "");
  EXPECT_EQ(DeltaRequest({}), "");
}

TEST_F(MessagesTest, AFieldMayBeANumber) {
  ExpectIs("envoy.config.cluster.v3.Cluster", Payload("a", Number(2, 3)), R"(name: "a" type: EDS)");
}

}  // namespace
}  // namespace xdscope::fake
