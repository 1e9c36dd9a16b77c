#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "lib/encode/struct.h"
#include "tests/unit/wire/fixture.h"

namespace xdscope::encode {

using wire::Decode;
using wire::Equal;
using wire::kCluster;
using wire::Message;
using wire::View;
using wire::WireTest;

namespace {

class StructTest : public WireTest {
 protected:
  std::string StructBytes(const std::string& json) {
    google::protobuf::Struct structure;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &structure).ok()) << json;
    return structure.SerializeAsString();
  }

  // What the Struct of `json` stands for as a message of `type`: its text, or the error.
  std::string Text(std::string_view type, const std::string& json) {
    const std::string bytes = StructBytes(json);
    const absl::StatusOr<Message> message =
        FromStruct(Decode(bytes, TypeOf("google.protobuf.Struct"))->view(), TypeOf(type), types_);
    if (!message.ok()) return std::string(base::Message(message.status()));
    return Parsed(type, std::string(message->view().bytes()));
  }
};

TEST_F(StructTest, EveryKindOfFieldIsReadByTheJsonMapping) {
  EXPECT_EQ(Text(kCluster, R"({
      "name": "a", "connectTimeout": "1.5s", "lb_policy": "RANDOM", "type": 3,
      "per_connection_buffer_limit_bytes": 100, "ignore_health_on_host_removal": true,
      "eds_cluster_config": {"eds_config": {"ads": {}}, "service_name": "s"},
      "metadata": {"filter_metadata": {"envoy.lb": {"canary": true, "n": 1}}}})"),
            Parsed(kCluster, Bytes(kCluster, R"(
      name: "a" connect_timeout { seconds: 1 nanos: 500000000 } lb_policy: RANDOM type: EDS
      per_connection_buffer_limit_bytes { value: 100 } ignore_health_on_host_removal: true
      eds_cluster_config { eds_config { ads {} } service_name: "s" }
      metadata { filter_metadata { key: "envoy.lb" value {
        fields { key: "canary" value { bool_value: true } } fields { key: "n" value { number_value: 1 } } } } })")));
}

TEST_F(StructTest, AnAnyInsideIsPutTogether) {
  EXPECT_EQ(Text("envoy.config.core.v3.TransportSocket", R"({"name": "tls", "typed_config": {
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", "sni": "x"}})"),
            Parsed("envoy.config.core.v3.TransportSocket", Bytes("envoy.config.core.v3.TransportSocket", R"(
      name: "tls" typed_config {
        [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] { sni: "x" } })")));
}

TEST_F(StructTest, WhatDoesNotFitIsNamedByItsPath) {
  EXPECT_EQ(Text(kCluster, R"({"nope": 1})"), ".nope: no such field in envoy.config.cluster.v3.Cluster");
  EXPECT_EQ(Text(kCluster, R"({"eds_cluster_config": {"service_name": 5}})"),
            ".eds_cluster_config.service_name: expected text, not a number");
  EXPECT_EQ(Text(kCluster, R"({"connect_timeout": "250ms"})"),
            ".connect_timeout: expected a duration such as \"1.5s\"");
  EXPECT_EQ(Text(kCluster, R"({"lb_policy": "NOPE"})"),
            ".lb_policy: no such value in envoy.config.cluster.v3.Cluster.LbPolicy");
  EXPECT_EQ(Text(kCluster, R"({"per_connection_buffer_limit_bytes": -1})"),
            ".per_connection_buffer_limit_bytes: expected a whole number from 0 to 4294967295");
}

TEST_F(StructTest, ATypedStructBecomesTheMessageItNames) {
  const std::string_view type = "xds.type.v3.TypedStruct";
  std::string bytes;
  base::AppendBytes(&bytes, 1, "type.googleapis.com/envoy.config.cluster.v3.Cluster");
  base::AppendBytes(&bytes, 2, StructBytes(R"({"name": "a"})"));
  const absl::StatusOr<Message> message = FromTypedStruct(Decode(bytes, TypeOf(type))->view(), types_);
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->type().full_name(), kCluster);
  EXPECT_EQ(message->view().GetText("name"), "a");

  std::string unknown;
  base::AppendBytes(&unknown, 1, "type.googleapis.com/no.such.Filter");
  EXPECT_EQ(FromTypedStruct(Decode(unknown, TypeOf(type))->view(), types_).status().code(),
            absl::StatusCode::kNotFound);
}

// The Struct that protobuf's JSON of a message is, read back by us, is the message.
TEST_F(StructTest, AgreesWithProtobufsJsonMappingOnEveryType) {
  fake::RandomMessages random = Random(11);
  int compared = 0;
  for (const std::string& name : schema_.MessageNames()) {
    const auto* descriptor = schema_.FindMessage(name);
    if (descriptor->file()->package() == "google.protobuf") continue;
    const auto message = random.Make(*descriptor, 3);
    std::string json;
    google::protobuf::Struct structure;
    // Not every message has a JSON form, and doubles cannot hold every 64-bit number: those stay text in JSON.
    if (!google::protobuf::util::MessageToJsonString(*message, &json).ok()) continue;
    if (!google::protobuf::util::JsonStringToMessage(json, &structure).ok()) continue;
    const std::string bytes = structure.SerializeAsString();
    const absl::StatusOr<Message> ours =
        FromStruct(Decode(bytes, TypeOf("google.protobuf.Struct"))->view(), TypeOf(name), types_);
    ASSERT_TRUE(ours.ok()) << name << ": " << ours.status() << "\n" << json;
    const std::unique_ptr<google::protobuf::Message> theirs(message->New());
    if (!google::protobuf::util::JsonStringToMessage(json, theirs.get()).ok()) continue;
    const std::string expected = fake::Serialized(*theirs);
    ASSERT_TRUE(Equal(ours->view(), Decode(expected, TypeOf(name))->view(), types_))
        << name << "\n"
        << Parsed(name, expected) << "---\n"
        << Parsed(name, std::string(ours->view().bytes()));
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace xdscope::encode
