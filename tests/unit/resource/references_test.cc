#include "lib/resource/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/types/known_types.h"
#include "tests/fake/text_messages.h"

namespace xdscope::resource {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReferencesTest : public testing::Test {
 protected:
  // The references of a resource written as text: "cds:a", "eds:b here", "sds:c elsewhere (file x)".
  std::vector<std::string> Find(std::string_view type, const std::string& text, ThisServer server = {}) {
    return FindIn(type, type, text, std::move(server));
  }
  // The same of a resource in a response of another type.
  std::vector<std::string> FindIn(std::string_view response_type, std::string_view type, const std::string& text,
                                  ThisServer server = {}) {
    const std::string bytes = texts_.Bytes(type, text);
    const auto decoded = wire::Decode(bytes, *types_.Find(type));
    EXPECT_TRUE(decoded.ok());
    std::vector<std::string> found;
    ReferenceFinder finder(types_, std::move(server));
    const std::string type_url = std::string(types::kTypeUrlPrefix).append(response_type);
    for (const Reference& reference : finder.Find(type_url, decoded->view(), "self")) found.push_back(Text(reference));
    return found;
  }

  static std::string Text(const Reference& reference) {
    const types::KnownType* known = types::FindByUrl(reference.type_url);
    std::string text = known != nullptr ? std::string(known->short_name) : reference.type_url;
    text += ":" + reference.name;
    if (reference.origin == Origin::kHere) text += " here";
    if (reference.origin == Origin::kElsewhere) text += " elsewhere (" + reference.elsewhere + ")";
    return text;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::TextMessages texts_{schema_};
};

TEST_F(ReferencesTest, EveryRowNamesFieldsThatTheSchemaHas) {
  for (const ReferenceRow& row : ReferenceRows()) {
    const wire::Type* type = types_.Find(row.message);
    ASSERT_NE(type, nullptr) << row.message;
    if (!row.name_field.empty()) {
      const wire::Field* name = type->Find(row.name_field);
      ASSERT_NE(name, nullptr) << row.message << "." << row.name_field;
      EXPECT_EQ(name->kind, wire::FieldKind::kString) << row.message << "." << row.name_field;
    }
    std::string_view path = row.source_field;
    while (!path.empty()) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      const wire::Field* step = type->Find(path.substr(0, dot));
      ASSERT_NE(step, nullptr) << row.message << "." << row.source_field;
      type = &step->message();
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    if (!row.source_field.empty()) {
      EXPECT_TRUE(type->full_name().ends_with(".ConfigSource")) << row.message;
    }
    EXPECT_TRUE(types::FindByWord(row.target) != nullptr || types_.Find(row.target) != nullptr) << row.target;
  }
}

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::string_view kListener = "envoy.config.listener.v3.Listener";

TEST_F(ReferencesTest, AClusterRefersToItsEndpointsByServiceNameOrByItsOwn) {
  EXPECT_THAT(Find(kCluster, "eds_cluster_config { service_name: 's' eds_config { ads {} } }"),
              ElementsAre("eds:s here"));
  EXPECT_THAT(Find(kCluster, "eds_cluster_config { eds_config { self {} } }"), ElementsAre("eds:self here"));
  EXPECT_THAT(Find(kCluster, "type: STATIC"), IsEmpty());
}

TEST_F(ReferencesTest, AConfigSourceSaysWhereItStands) {
  EXPECT_THAT(Find(kCluster, "eds_cluster_config { eds_config { path: '/e.yaml' } }"),
              ElementsAre("eds:self elsewhere (file /e.yaml)"));
  EXPECT_THAT(Find(kCluster, "eds_cluster_config { eds_config { path_config_source { path: '/e.yaml' } } }"),
              ElementsAre("eds:self elsewhere (file /e.yaml)"));
  const std::string api =
      "eds_cluster_config { eds_config { api_config_source { api_type: GRPC "
      "grpc_services { envoy_grpc { cluster_name: 'xds' } } } } }";
  EXPECT_THAT(Find(kCluster, api), ElementsAre("eds:self elsewhere (cluster xds)", "cds:xds"));
  EXPECT_THAT(Find(kCluster, api, {{"xds"}, {}}), ElementsAre("eds:self here", "cds:xds"));
  const std::string google =
      "eds_cluster_config { eds_config { api_config_source { grpc_services { google_grpc { "
      "target_uri: 'h:1' stat_prefix: 's' } } } } }";
  EXPECT_THAT(Find(kCluster, google), ElementsAre("eds:self elsewhere (target h:1)"));
  EXPECT_THAT(Find(kCluster, google, {{}, {"h:1"}}), ElementsAre("eds:self here"));
  const std::string rest =
      "eds_cluster_config { eds_config { api_config_source { api_type: REST cluster_names: 'x' } } }";
  EXPECT_THAT(Find(kCluster, rest), ElementsAre("eds:self elsewhere (cluster x)"));
  EXPECT_THAT(Find(kCluster, rest, {{}, {}, true}), ElementsAre("eds:self here"));
  EXPECT_THAT(Find(kCluster, api, {{}, {}, true}), ElementsAre("eds:self elsewhere (cluster xds)", "cds:xds"));
}

TEST_F(ReferencesTest, SecretsAreFoundInsideTransportSockets) {
  EXPECT_THAT(Find(kCluster, R"(transport_socket { name: "tls" typed_config {
      [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] { common_tls_context {
        tls_certificate_sds_secret_configs { name: "default" sds_config { api_config_source { api_type: GRPC
          grpc_services { envoy_grpc { cluster_name: "sds-grpc" } } } } }
        combined_validation_context { validation_context_sds_secret_config { name: "ca" sds_config { ads {} } } } } } } })"),
              ElementsAre("sds:default elsewhere (cluster sds-grpc)", "cds:sds-grpc", "sds:ca here"));
}

TEST_F(ReferencesTest, ASecretOfTheBootstrapIsNoReference) {
  EXPECT_THAT(Find(kCluster, R"(transport_socket { name: "tls" typed_config {
      [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] { common_tls_context {
        tls_certificate_sds_secret_configs { name: "static" } } } } })"),
              IsEmpty());
}

TEST_F(ReferencesTest, AggregateClustersReferToTheirMembers) {
  EXPECT_THAT(Find(kCluster, R"(cluster_type { name: "envoy.clusters.aggregate" typed_config {
      [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] { clusters: "a" clusters: "b" } } })"),
              ElementsAre("cds:a", "cds:b"));
}

TEST_F(ReferencesTest, ListenersReferFromDeepInside) {
  EXPECT_THAT(Find(kListener, R"(filter_chains { filters { name: "hcm" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
        rds { route_config_name: "r" config_source { ads {} } }
        http_filters { name: "authz" typed_config {
          [type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz] {
            grpc_service { envoy_grpc { cluster_name: "authz" } } } } }
        http_filters { name: "late" config_discovery { config_source { ads {} } type_urls: "x" } } } } } })"),
              ElementsAre("rds:r here", "cds:authz", "ecds:late here"));
}

TEST_F(ReferencesTest, ScopesReferToEverythingOfTheirType) {
  EXPECT_THAT(Find(kListener, R"(filter_chains { filters { name: "hcm" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
        scoped_routes { name: "s" scoped_rds { scoped_rds_config_source { ads {} } } } } } } })"),
              ElementsAre("srds: here"));
}

TEST_F(ReferencesTest, RoutesReferToClustersWeightedAndMirroredOnes) {
  EXPECT_THAT(Find("envoy.config.route.v3.RouteConfiguration", R"(virtual_hosts {
      routes { route { cluster: "a" request_mirror_policies { cluster: "m" } } }
      routes { route { weighted_clusters { clusters { name: "w1" } clusters { name: "w2" } } } }
      routes { route { cluster: "a" } } }
      vhds { config_source { ads {} } })"),
              ElementsAre("cds:a", "cds:m", "cds:w1", "cds:w2", "vhds: here"));
}

TEST_F(ReferencesTest, ATypedStructIsReadAsTheMessageItNames) {
  EXPECT_THAT(Find(kListener, R"(filter_chains { filters { name: "tcp" typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] {
        type_url: "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy"
        value { fields { key: "cluster" value { string_value: "t" } }
                fields { key: "stat_prefix" value { string_value: "x" } } } } } } })"),
              ElementsAre("cds:t"));
}

TEST_F(ReferencesTest, WhatMayNotBeShownRefersToNothing) {
  constexpr std::string_view kSecret = "envoy.extensions.transport_sockets.tls.v3.Secret";
  const std::string cluster = R"(name: "c" eds_cluster_config { service_name: "s" eds_config { ads {} } })";
  EXPECT_THAT(Find(kCluster, cluster), ElementsAre("eds:s here"));
  EXPECT_THAT(FindIn(kSecret, kCluster, cluster), IsEmpty());
  EXPECT_THAT(FindIn("envoy.api.v2.auth.Secret", kCluster, cluster), IsEmpty());
  const std::string inside = "{ [type.googleapis.com/envoy.config.cluster.v3.Cluster] {" + cluster + "} }";
  const auto with = [&](const std::string& any) {
    return R"(name: "o" typed_extension_protocol_options { key: "k" value {)" + any + "} }";
  };
  EXPECT_THAT(Find(kCluster, with(inside.substr(1, inside.size() - 2))), ElementsAre("eds:s here"));
  EXPECT_THAT(Find(kCluster, with("[type.googleapis.com/" + std::string(kSecret) +
                                  "] { tls_certificate { private_key_provider { typed_config " + inside + " } } }")),
              IsEmpty());
  EXPECT_THAT(Find(kCluster, with("[type.googleapis.com/envoy.extensions.wasm.v3.PluginConfig] { configuration " +
                                  inside + " }")),
              IsEmpty());
}

TEST_F(ReferencesTest, V2ResourcesReferToV2Types) {
  std::vector<std::string> urls;
  const std::string bytes = texts_.Bytes("envoy.api.v2.Cluster", "eds_cluster_config { eds_config { ads {} } }");
  const auto decoded = wire::Decode(bytes, *types_.Find("envoy.api.v2.Cluster"));
  ReferenceFinder finder(types_);
  for (const Reference& reference : finder.Find("x/envoy.api.v2.Cluster", decoded->view(), "c"))
    urls.push_back(reference.type_url);
  EXPECT_THAT(urls, ElementsAre("type.googleapis.com/envoy.api.v2.ClusterLoadAssignment"));
}

}  // namespace
}  // namespace xdscope::resource
