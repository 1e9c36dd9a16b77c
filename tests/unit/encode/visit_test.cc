#include "lib/encode/visit.h"

#include <gmock/gmock.h>

#include "tests/unit/wire/fixture.h"

namespace xdscope::encode {
namespace {

using base::AppendBytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kListener = "envoy.config.listener.v3.Listener";

class VisitTest : public wire::WireTest {
 protected:
  // The paths of the messages of a type below a message that is written as text, in the order of the visit.
  std::vector<std::string> PathsOf(std::string_view wanted, std::string_view type, const std::string& text) {
    return PathsIn(wanted, type, Bytes(type, text));
  }

  std::vector<std::string> PathsIn(std::string_view wanted, std::string_view type, const std::string& bytes) {
    const absl::StatusOr<wire::Message> message = wire::Decode(bytes, TypeOf(type));
    EXPECT_TRUE(message.ok());
    std::vector<std::string> paths;
    Visit(message->view(), types_, [&](const Visited& at) {
      if (at.message.type().full_name() == wanted) paths.push_back(finding::ToText(PathTo(at)));
      return true;
    });
    return paths;
  }
};

TEST_F(VisitTest, BeginsWithTheMessageItself) {
  EXPECT_THAT(PathsOf(wire::kCluster, wire::kCluster, R"(name: "a")"), ElementsAre(""));
}

TEST_F(VisitTest, PathsHaveIndexesAndKeys) {
  EXPECT_THAT(PathsOf("envoy.config.listener.v3.Filter", kListener,
                      R"(filter_chains {} filter_chains { filters { name: "a" } filters {} })"),
              ElementsAre("filter_chains[1].filters[0]", "filter_chains[1].filters[1]"));
  EXPECT_THAT(PathsOf("google.protobuf.Any", "envoy.config.core.v3.Metadata",
                      R"(typed_filter_metadata { key: "b.c" value {} } typed_filter_metadata { key: "a" value {} })"),
              ElementsAre(R"(typed_filter_metadata["a"])", R"(typed_filter_metadata["b.c"])"));
}

TEST_F(VisitTest, WhatAnAnyHoldsStandsInItsPlace) {
  const std::string socket = R"(transport_socket { name: "tls" typed_config {
      [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] {
        common_tls_context { tls_params {} } } } })";
  EXPECT_THAT(PathsOf("envoy.extensions.transport_sockets.tls.v3.TlsParameters", wire::kCluster, socket),
              ElementsAre("transport_socket.typed_config.common_tls_context.tls_params"));
}

TEST_F(VisitTest, ATypedStructIsReadAsWhatItSpells) {
  const std::string chain = R"(filter_chains { filters { typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] {
        type_url: "x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
        value { fields { key: "commonTlsContext" value { struct_value {
          fields { key: "tls_params" value { struct_value {} } } } } } } } } } })";
  EXPECT_THAT(PathsOf("envoy.extensions.transport_sockets.tls.v3.TlsParameters", kListener, chain),
              ElementsAre("filter_chains[0].filters[0].typed_config.value.common_tls_context.tls_params"));
}

TEST_F(VisitTest, MembersOfAStructAreKeys) {
  const std::string metadata = R"(filter_metadata { key: "envoy.lb" value {
      fields { key: "list" value { list_value { values { string_value: "a" } values { bool_value: true } } } } } })";
  EXPECT_THAT(PathsOf("google.protobuf.Value", "envoy.config.core.v3.Metadata", metadata),
              ElementsAre(R"(filter_metadata["envoy.lb"]["list"])", R"(filter_metadata["envoy.lb"]["list"][0])",
                          R"(filter_metadata["envoy.lb"]["list"][1])"));
}

TEST_F(VisitTest, BelowWhatDoesNotOpenIsNothing) {
  std::string any;
  AppendBytes(&any, 1, "x/no.such.Type");
  AppendBytes(&any, 2, "\x0A");
  int looks = 0;
  const absl::StatusOr<wire::Message> message = wire::Decode(any, TypeOf("google.protobuf.Any"));
  Visit(message->view(), types_, [&](const Visited&) { return ++looks > 0; });
  EXPECT_EQ(looks, 1);
}

TEST_F(VisitTest, LeavesOutWhatTheLookDoesNotWant) {
  const std::string bytes = Bytes(kListener, "filter_chains { filters {} }");
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, TypeOf(kListener));
  std::vector<std::string_view> seen;
  Visit(message->view(), types_, [&](const Visited& at) {
    seen.push_back(at.message.type().full_name());
    return at.above == nullptr;
  });
  EXPECT_THAT(seen, ElementsAre(kListener, "envoy.config.listener.v3.FilterChain"));
}

TEST_F(VisitTest, OnlyWhatAStructSpelledIsMarkedAsThat) {
  const std::string typed =
      Bytes("xds.type.v3.TypedStruct", R"(type_url: "x/envoy.config.core.v3.TrafficDirection" value {})");
  const std::string cluster = Bytes("xds.type.v3.TypedStruct", R"(type_url: "x/envoy.config.cluster.v3.Cluster")");
  std::vector<bool> spelled;
  const absl::StatusOr<wire::Message> message = wire::Decode(cluster, TypeOf("xds.type.v3.TypedStruct"));
  Visit(message->view(), types_, [&](const Visited& at) {
    spelled.push_back(at.spelled);
    return true;
  });
  EXPECT_THAT(spelled, ElementsAre(false, true));
  EXPECT_THAT(PathsIn(wire::kCluster, "xds.type.v3.TypedStruct", typed), IsEmpty());
}

// Anys in one another, each below as many messages as protobuf reads.
TEST_F(VisitTest, EndsHoweverDeepTheDataIs) {
  const auto in = [](std::uint32_t number, std::string_view bytes) {
    std::string message;
    AppendBytes(&message, number, bytes);
    return message;
  };
  std::string bytes;
  for (int any = 0; any < 40; ++any) {
    bytes = in(3, in(2, in(2, in(1, "x/xds.type.matcher.v3.Matcher") + in(2, bytes))));  // on_no_match.action
    for (int level = 0; level < 46; ++level) bytes = in(3, in(1, bytes));                // on_no_match.matcher
  }
  const std::vector<std::string> anys = PathsIn("google.protobuf.Any", "xds.type.matcher.v3.Matcher", bytes);
  EXPECT_GT(anys.size(), 5U);
  EXPECT_LE(anys.size(), static_cast<std::size_t>(wire::kMaxAnyDepth) + 1);
}

}  // namespace
}  // namespace xdscope::encode
