#include "lib/config/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace xdscope::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::string_view kClusters = R"(
static_resources:
  clusters:
  - name: other
  - name: xds
    load_assignment:
      endpoints:
      - lb_endpoints:
        - endpoint:
            address: {socket_address: {address: 10.1.2.3, port_value: 18000}}
)";

// Files and variables that the bootstraps of this test may refer to.
Surroundings Here() {
  Surroundings here;
  here.read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path.starts_with("/pem/")) return "contents of " + path;
    return absl::InvalidArgumentError("No such file or directory");
  };
  here.environment = [](std::string_view name) {
    return name == "CA" ? std::optional<std::string>("ca from environment") : std::nullopt;
  };
  return here;
}

absl::StatusOr<Bootstrap> Read(const std::string& text) {
  const absl::StatusOr<Value> document = ParseDocument(text, "b.yaml");
  if (!document.ok()) return document.status();
  return ReadBootstrap(*document, "b.yaml", schema::Schema::Builtin(), Here());
}

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(text);
  return bootstrap.ok() ? "no error" : std::string(base::Message(bootstrap.status()));
}

std::string Ads(const std::string& rest, std::string_view clusters = kClusters) {
  return "dynamic_resources:\n  ads_config: {" + rest + ", grpc_services: [{envoy_grpc: {cluster_name: xds}}]}\n" +
         std::string(clusters);
}

TEST(EnvoyBootstrap, NamesServerVariantHeadersAndNode) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(R"(
node: {id: n1}
dynamic_resources:
  ads_config:
    api_type: DELTA_GRPC
    transport_api_version: V3
    grpc_services:
    - envoy_grpc: {cluster_name: xds, authority: plane.example}
      initial_metadata: [{key: tenant, value: t1}]
)" + std::string(kClusters));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->client, ClientKind::kEnvoy);
  EXPECT_EQ(bootstrap->channel.target, "10.1.2.3:18000");
  EXPECT_EQ(bootstrap->channel.authority, "plane.example");
  EXPECT_FALSE(bootstrap->channel.tls.has_value());
  EXPECT_THAT(bootstrap->channel.headers, ElementsAre(Pair("tenant", "t1")));
  EXPECT_EQ(bootstrap->variant, types::Variant::kDeltaAds);
  EXPECT_EQ(bootstrap->api, types::Api::kV3);
  EXPECT_EQ(bootstrap->cluster, "xds");
  EXPECT_EQ(bootstrap->node, "\x0a\x02n1");
}

TEST(EnvoyBootstrap, ApiTypeMeansAnotherVariantBelowAdsConfig) {
  const std::pair<std::string, types::Variant> cases[] = {
      {"GRPC", types::Variant::kSotw},
      {"DELTA_GRPC", types::Variant::kDelta},
      {"AGGREGATED_GRPC", types::Variant::kAds},
      {"AGGREGATED_DELTA_GRPC", types::Variant::kDeltaAds},
  };
  for (const auto& [api_type, variant] : cases) {
    const auto bootstrap = Read("dynamic_resources:\n  cds_config:\n    api_config_source: {api_type: " + api_type +
                                ", transport_api_version: V2, grpc_services: [{envoy_grpc: {cluster_name: xds}}]}\n" +
                                std::string(kClusters));
    ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
    EXPECT_EQ(bootstrap->variant, variant) << api_type;
    EXPECT_EQ(bootstrap->api, types::Api::kV2);
  }
  EXPECT_EQ(Read(Ads("api_type: GRPC"))->variant, types::Variant::kAds);
}

TEST(EnvoyBootstrap, ReadsTlsFromFilesTextAndEnvironment) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(Ads("api_type: GRPC") + R"(
    transport_socket:
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
        sni: plane.example
        common_tls_context:
          validation_context: {trusted_ca: {environment_variable: CA}}
          tls_certificates:
          - certificate_chain: {filename: /pem/cert}
            private_key: {inline_bytes: a2V5}
)");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  ASSERT_TRUE(bootstrap->channel.tls.has_value());
  EXPECT_EQ(bootstrap->channel.tls->ca_pem, "ca from environment");
  EXPECT_EQ(bootstrap->channel.tls->cert_pem, "contents of /pem/cert");
  EXPECT_EQ(bootstrap->channel.tls->key_pem, "key");
  EXPECT_FALSE(bootstrap->channel.tls->insecure);
  EXPECT_EQ(bootstrap->channel.authority, "plane.example");
}

TEST(EnvoyBootstrap, VerifiesNothingWithoutAnAuthorityAsEnvoyDoes) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(Ads("api_type: GRPC") + R"(
    transport_socket: {typed_config: {"@type": x/a.b.UpstreamTlsContext}}
)");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_TRUE(bootstrap->channel.tls->insecure);
}

TEST(EnvoyBootstrap, TheNameThatTheCertificateMustHaveIsTheAuthority) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(Ads("api_type: GRPC") + R"(
    transport_socket:
      typed_config:
        "@type": x/a.b.UpstreamTlsContext
        common_tls_context:
          combined_validation_context:
            default_validation_context:
              trusted_ca: {inline_string: ca}
              match_typed_subject_alt_names:
              - {san_type: URI, matcher: {exact: "spiffe://x"}}
              - {san_type: DNS, matcher: {exact: istiod.istio-system.svc}}
            validation_context_sds_secret_config: {name: ROOTCA}
)");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->channel.authority, "istiod.istio-system.svc");
  EXPECT_THAT(bootstrap->notes, ElementsAre(HasSubstr("validation_context_sds_secret_config: secrets by SDS")));
}

TEST(EnvoyBootstrap, ReachesPipesIpv6AndGoogleGrpc) {
  const std::string start =
      "static_resources: {clusters: [{name: xds, load_assignment: {endpoints: [{lb_endpoints: "
      "[{endpoint: {address: ";
  EXPECT_EQ(Read(Ads("api_type: GRPC", start + "{pipe: {path: /run/x}}}}]}]}}]}"))->channel.target, "unix:/run/x");
  EXPECT_EQ(Read(Ads("api_type: GRPC", start + "{pipe: {path: '@x'}}}}]}]}}]}"))->channel.target, "unix-abstract:x");
  EXPECT_EQ(
      Read(Ads("api_type: GRPC", start + "{socket_address: {address: '::1', port_value: 7}}}}]}]}}]}"))->channel.target,
      "[::1]:7");
  const absl::StatusOr<Bootstrap> google = Read(
      "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{google_grpc: {target_uri: 'plane:443', "
      "channel_credentials: {ssl_credentials: {root_certs: {filename: /pem/ca}}}}}]}}");
  ASSERT_TRUE(google.ok()) << google.status();
  EXPECT_EQ(google->channel.target, "plane:443");
  EXPECT_EQ(google->channel.tls->ca_pem, "contents of /pem/ca");
}

TEST(EnvoyBootstrap, ErrorsNameFileLineAndPath) {
  EXPECT_EQ(ErrorOf("admin: {}"), "b.yaml: is no bootstrap: neither dynamic_resources (Envoy) nor xds_servers (gRPC)");
  EXPECT_EQ(ErrorOf("node: {id: x}\ndynamic_resources:\n  lds_config: {path_config_source: {path: x}}\n"),
            "b.yaml:3: dynamic_resources: names no control plane: no ads_config, cds_config or lds_config over gRPC");
  EXPECT_EQ(ErrorOf(Ads("api_type: REST")),
            "b.yaml:2: dynamic_resources.ads_config.api_type: \"REST\" is not gRPC; expected GRPC or DELTA_GRPC");
  EXPECT_EQ(ErrorOf(Ads("api_type: GRPC", "")),
            "b.yaml:2: dynamic_resources.ads_config.grpc_services[0].envoy_grpc.cluster_name: static_resources has no "
            "cluster \"xds\"");
  EXPECT_EQ(ErrorOf(Ads("api_type: GRPC", "static_resources:\n  clusters:\n  - name: xds\n")),
            "b.yaml:5: static_resources.clusters[0]: has no address: expected load_assignment with a socket_address");
  EXPECT_EQ(
      ErrorOf(Ads("api_type: GRPC") +
              "    transport_socket:\n      typed_config:\n        \"@type\": x/a.QuicContext\n"),
      "b.yaml:15: static_resources.clusters[1].transport_socket.typed_config: only UpstreamTlsContext and RawBuffer "
      "are understood");
  EXPECT_THAT(ErrorOf(Ads("api_type: GRPC") + R"(
    transport_socket:
      typed_config:
        "@type": x/a.b.UpstreamTlsContext
        common_tls_context:
          validation_context: {trusted_ca: {filename: /nowhere}}
)"),
              HasSubstr("trusted_ca.filename: No such file or directory"));
  EXPECT_THAT(ErrorOf("node: {id: [1]}\n" + Ads("api_type: GRPC")),
              HasSubstr("b.yaml:1: node.id: expected text, not a list"));
}

TEST(GrpcBootstrap, NamesServerCredentialsAndNode) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(R"({
    "xds_servers": [{"server_uri": "dns:///plane:443",
                     "channel_creds": [{"type": "exotic"}, {"type": "tls", "config": {"ca_certificate_file": "/pem/ca"}}]}],
    "node": {"id": "n1", "locality": {"zone": "z"}}})");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->client, ClientKind::kGrpc);
  EXPECT_EQ(bootstrap->variant, types::Variant::kAds);
  EXPECT_EQ(bootstrap->channel.target, "dns:///plane:443");
  EXPECT_EQ(bootstrap->channel.tls->ca_pem, "contents of /pem/ca");
  EXPECT_FALSE(bootstrap->node.empty());
}

TEST(GrpcBootstrap, KnowsInsecureAndGoogleDefault) {
  const auto with = [](const std::string& type) {
    return Read(R"({"xds_servers": [{"server_uri": "plane:443", "channel_creds": [{"type": ")" + type + "\"}]}]}");
  };
  EXPECT_FALSE(with("insecure")->channel.tls.has_value());
  EXPECT_TRUE(with("google_default")->channel.tls.has_value());
  EXPECT_THAT(with("google_default")->notes, ElementsAre(HasSubstr("token is not sent")));
  EXPECT_FALSE(with("exotic").ok());
}

TEST(GrpcBootstrap, ErrorsNameLineAndPath) {
  EXPECT_EQ(ErrorOf("{\"xds_servers\": []}"), "b.yaml:1: xds_servers[0]: names no server");
  EXPECT_EQ(ErrorOf("{\"xds_servers\": [\n{\"server_uri\": \"plane\"}]}"),
            "b.yaml:2: xds_servers[0].server_uri: plane: no port: expected HOST:PORT");
}

}  // namespace
}  // namespace xdscope::config
