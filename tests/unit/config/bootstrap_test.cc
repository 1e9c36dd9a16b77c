#include "lib/config/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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
  here.read_file = [](const std::string& path, std::size_t /*most*/) -> absl::StatusOr<std::string> {
    if (path.starts_with("/pem/")) return "contents of " + path;
    return absl::InvalidArgumentError("No such file or directory");
  };
  here.environment = [](std::string_view name) {
    return name == "CA" ? std::optional<std::string>("ca from environment") : std::nullopt;
  };
  return here;
}

absl::StatusOr<Bootstrap> Read(const std::string& text) {
  const absl::StatusOr<Document> document = ParseDocument(text, "b.yaml");
  if (!document.ok()) return document.status();
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  return ReadBootstrap(*document, types, Here());
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
  EXPECT_EQ(bootstrap->MainServer()->channel.target, "10.1.2.3:18000");
  EXPECT_EQ(bootstrap->MainServer()->channel.authority, "plane.example");
  EXPECT_FALSE(bootstrap->MainServer()->channel.tls.has_value());
  EXPECT_THAT(bootstrap->MainServer()->channel.headers, ElementsAre(Pair("tenant", "t1")));
  EXPECT_EQ(bootstrap->MainServer()->variant, types::Variant::kDeltaAds);
  EXPECT_EQ(bootstrap->MainServer()->api, types::Api::kV3);
  EXPECT_EQ(bootstrap->MainServer()->cluster, "xds");
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
    EXPECT_EQ(bootstrap->MainServer()->variant, variant) << api_type;
    EXPECT_EQ(bootstrap->MainServer()->api, types::Api::kV2);
  }
  EXPECT_EQ(Read(Ads("api_type: GRPC"))->MainServer()->variant, types::Variant::kAds);
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
  ASSERT_TRUE(bootstrap->MainServer()->channel.tls.has_value());
  EXPECT_EQ(bootstrap->MainServer()->channel.tls->ca_pem, "ca from environment");
  EXPECT_EQ(bootstrap->MainServer()->channel.tls->cert_pem, "contents of /pem/cert");
  EXPECT_EQ(bootstrap->MainServer()->channel.tls->key_pem, "key");
  EXPECT_FALSE(bootstrap->MainServer()->channel.tls->insecure);
  EXPECT_EQ(bootstrap->MainServer()->channel.tls->sni, "plane.example");
  EXPECT_FALSE(bootstrap->MainServer()->channel.tls->check_host) << "the SNI is a name to say, not one to verify";
  EXPECT_EQ(bootstrap->MainServer()->channel.authority, "");
}

TEST(EnvoyBootstrap, VerifiesNothingWithoutAnAuthorityAsEnvoyDoes) {
  const absl::StatusOr<Bootstrap> bootstrap = Read(Ads("api_type: GRPC") + R"(
    transport_socket: {typed_config: {"@type": x/a.b.UpstreamTlsContext}}
)");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_TRUE(bootstrap->MainServer()->channel.tls->insecure);
}

TEST(EnvoyBootstrap, ReachesPipesIpv6AndGoogleGrpc) {
  const std::string start =
      "static_resources: {clusters: [{name: xds, load_assignment: {endpoints: [{lb_endpoints: "
      "[{endpoint: {address: ";
  EXPECT_EQ(Read(Ads("api_type: GRPC", start + "{pipe: {path: /run/x}}}}]}]}}]}"))->MainServer()->channel.target,
            "unix:/run/x");
  EXPECT_EQ(Read(Ads("api_type: GRPC", start + "{pipe: {path: '@x'}}}}]}]}}]}"))->MainServer()->channel.target,
            "unix-abstract:x");
  EXPECT_EQ(Read(Ads("api_type: GRPC", start + "{socket_address: {address: '::1', port_value: 7}}}}]}]}}]}"))
                ->MainServer()
                ->channel.target,
            "[::1]:7");
  const absl::StatusOr<Bootstrap> google = Read(
      "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{google_grpc: {target_uri: 'plane:443', "
      "channel_credentials: {ssl_credentials: {root_certs: {filename: /pem/ca}}}}}]}}");
  ASSERT_TRUE(google.ok()) << google.status();
  EXPECT_EQ(google->MainServer()->channel.target, "plane:443");
  EXPECT_EQ(google->MainServer()->channel.tls->ca_pem, "contents of /pem/ca");
}

TEST(EnvoyBootstrap, MayKnowFilesAlone) {
  const absl::StatusOr<Bootstrap> bootstrap =
      Read("node: {id: x}\ndynamic_resources:\n  lds_config: {path_config_source: {path: x}}\n");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->MainServer(), nullptr);
  EXPECT_THAT(bootstrap->NotesOnOtherServers(), IsEmpty());
  EXPECT_EQ(bootstrap->files.at("lds_config").path, "x");
  EXPECT_FALSE(bootstrap->node.empty());
  EXPECT_NE(Read(Ads("api_type: GRPC"))->MainServer(), nullptr);
}

TEST(EnvoyBootstrap, ErrorsNameFileLineAndPath) {
  EXPECT_EQ(ErrorOf("admin: {}"), "b.yaml: is no bootstrap: neither dynamic_resources (Envoy) nor xds_servers (gRPC)");
  EXPECT_EQ(ErrorOf("dynamic_resources:\n  lds_config: {ads: {}}\n"),
            "b.yaml:2: dynamic_resources: names no control plane: no ads_config, cds_config or lds_config over gRPC");
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
          tls_certificates: [{certificate_chain: {filename: /nowhere}}]
)"),
              HasSubstr("certificate_chain.filename: No such file or directory"));
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
  EXPECT_EQ(bootstrap->MainServer()->variant, types::Variant::kAds);
  EXPECT_EQ(bootstrap->MainServer()->channel.target, "dns:///plane:443");
  EXPECT_EQ(bootstrap->MainServer()->channel.tls->ca_pem, "contents of /pem/ca");
  EXPECT_FALSE(bootstrap->node.empty());
}

TEST(GrpcBootstrap, KnowsInsecureAndGoogleDefault) {
  const auto with = [](const std::string& type) {
    return Read(R"({"xds_servers": [{"server_uri": "plane:443", "channel_creds": [{"type": ")" + type + "\"}]}]}");
  };
  EXPECT_FALSE(with("insecure")->MainServer()->channel.tls.has_value());
  EXPECT_TRUE(with("google_default")->MainServer()->channel.tls.has_value());
  EXPECT_THAT(with("google_default")->MainServer()->notes, ElementsAre(HasSubstr("token is not sent")));
  EXPECT_FALSE(with("exotic").ok());
}

TEST(GrpcBootstrap, ErrorsNameLineAndPath) {
  EXPECT_EQ(ErrorOf("{\"xds_servers\": []}"), "b.yaml:1: xds_servers[0]: names no server");
  EXPECT_EQ(ErrorOf("{\"xds_servers\": [\n{\"server_uri\": \"plane\"}]}"),
            "b.yaml:2: xds_servers[0].server_uri: plane: no port: expected HOST:PORT");
}

// The table of a bootstrap as text: "ads_config: 0; lds_config: 0 1; …", authorities in brackets.
std::string TableOf(const Bootstrap& bootstrap) {
  std::string text;
  const auto add = [&](const std::string& name, const ServerList& servers) {
    text += (text.empty() ? "" : "; ") + name + ":";
    for (const std::size_t server : servers) text += " " + std::to_string(server);
  };
  for (const auto& [name, servers] : bootstrap.config_sources) add(name, servers);
  for (const auto& [name, servers] : bootstrap.authorities) add("[" + name + "]", servers);
  return text;
}

std::vector<std::string> TargetsOf(const Bootstrap& bootstrap) {
  std::vector<std::string> targets;
  for (const ServerConfig& server : bootstrap.servers) targets.push_back(server.channel.target);
  return targets;
}

std::string Source(std::string_view cluster, std::string_view rest = "") {
  return "{api_config_source: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: " + std::string(cluster) +
         "}}]" + std::string(rest) + "}}\n";
}

// Clusters "one" at one:1 and "two" at two:2.
constexpr std::string_view kTwoClusters = R"(
static_resources:
  clusters:
  - name: one
    load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: one, port_value: 1}}}}]}]}
  - name: two
    load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: two, port_value: 2}}}}]}]}
)";

absl::StatusOr<Bootstrap> ReadSources(const std::string& sources) {
  return Read("dynamic_resources:\n" + sources + std::string(kTwoClusters));
}

TEST(EnvoyServers, OneForAllBelowAds) {
  const auto bootstrap = Read("dynamic_resources:\n  lds_config: {ads: {}}\n  cds_config: {ads: {}}\n" +
                              Ads("api_type: GRPC").substr(std::string_view("dynamic_resources:\n").size()));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "ads_config: 0; cds_config: 0; lds_config: 0");
  EXPECT_EQ(bootstrap->servers.size(), 1U);
}

TEST(EnvoyServers, ListenersHereAndClustersThere) {
  const auto bootstrap =
      ReadSources("  lds_config: " + Source("one") + "  cds_config: " + Source("two", ", transport_api_version: V2"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "cds_config: 1; lds_config: 0");
  EXPECT_THAT(TargetsOf(*bootstrap), ElementsAre("one:1", "two:2"));
  EXPECT_EQ(bootstrap->servers[0].cluster, "one");
  EXPECT_EQ(bootstrap->servers[0].variant, types::Variant::kSotw);
  EXPECT_EQ(bootstrap->servers[0].api, types::Api::kV3);
  EXPECT_EQ(bootstrap->servers[1].api, types::Api::kV2);
  EXPECT_EQ(bootstrap->MainServer()->cluster, "two") << "the one of cds_config";
}

TEST(EnvoyServers, TheSameServerOfTwoConfigSourcesIsOneServer) {
  const auto same = ReadSources("  lds_config: " + Source("one") + "  cds_config: " + Source("one"));
  EXPECT_EQ(TableOf(*same), "cds_config: 0; lds_config: 0");
  EXPECT_EQ(same->servers.size(), 1U);
  const auto other_way =
      ReadSources("  lds_config: " + Source("one") + "  cds_config: " + Source("one", ", transport_api_version: V2"));
  EXPECT_EQ(TableOf(*other_way), "cds_config: 1; lds_config: 0") << "asked in another way it is another server";
}

TEST(EnvoyServers, AdsForOneTypeAndAServerOfItsOwnForTheOther) {
  const auto bootstrap = ReadSources(
      "  ads_config: {api_type: DELTA_GRPC, grpc_services: [{envoy_grpc: {cluster_name: two}}]}\n"
      "  cds_config: {ads: {}}\n  lds_config: " +
      Source("one"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "ads_config: 0; cds_config: 0; lds_config: 1");
  EXPECT_EQ(bootstrap->servers[0].variant, types::Variant::kDeltaAds);
  EXPECT_EQ(bootstrap->servers[1].variant, types::Variant::kSotw);
  EXPECT_EQ(bootstrap->MainServer()->cluster, "two");
}

TEST(EnvoyServers, ASecondServiceIsNotAskedAsEnvoyTakesNone) {
  const auto bootstrap = ReadSources(
      "  ads_config: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: two}}, "
      "{envoy_grpc: {cluster_name: one}}]}\n");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "ads_config: 0");
  EXPECT_THAT(TargetsOf(*bootstrap), ElementsAre("two:2"));
  EXPECT_THAT(bootstrap->notes, ElementsAre("b.yaml:2: dynamic_resources.ads_config.grpc_services[1]: is not asked: "
                                            "Envoy takes no second service here"));
}

TEST(EnvoyServers, AServiceInPlaceOfAListIsOne) {
  const auto bootstrap =
      ReadSources("  ads_config: {api_type: GRPC, grpc_services: {envoy_grpc: {cluster_name: two}}}\n");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_THAT(TargetsOf(*bootstrap), ElementsAre("two:2"));
  EXPECT_THAT(bootstrap->static_clusters, ElementsAre("one", "two"));
}

TEST(EnvoyServers, EndpointsAreTriedByPriorityAndInTheirOrder) {
  const auto bootstrap = Read(Ads("api_type: GRPC", R"(
static_resources:
  clusters:
  - name: xds
    load_assignment:
      endpoints:
      - priority: 1
        lb_endpoints: [{endpoint: {address: {socket_address: {address: c, port_value: 3}}}}]
      - lb_endpoints:
        - {endpoint: {address: {socket_address: {address: a, port_value: 1}}}}
        - {endpoint: {address: {envoy_internal_address: {server_listener_name: x}}}}
        - {endpoint: {address: {pipe: {path: /b}}}}
)"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->MainServer()->channel.target, "a:1");
  EXPECT_THAT(bootstrap->MainServer()->more_targets, ElementsAre("unix:/b", "c:3"));
  EXPECT_THAT(bootstrap->MainServer()->notes, ElementsAre(HasSubstr("expected a socket_address or a pipe: left out")));
}

TEST(EnvoyServers, RestNamesAClusterAndIsAUrl) {
  const auto bootstrap = ReadSources(
      "  lds_config: {api_config_source: {api_type: REST, cluster_names: [one], refresh_delay: 5s}}\n  cds_config: " +
      Source("two"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  const ServerConfig& rest = bootstrap->servers[bootstrap->config_sources.at("lds_config")[0]];
  EXPECT_TRUE(rest.status.ok()) << rest.status;
  EXPECT_EQ(rest.channel.target, "http://one:1");
  EXPECT_EQ(rest.variant, types::Variant::kRest);
  EXPECT_EQ(rest.cluster, "one");
}

// XDS-R15; Envoy 1.40 refuses to start: "must have a singleton cluster name specified".
TEST(EnvoyServers, OfSeveralClustersOfRestTheFirstIsAsked) {
  const auto bootstrap = ReadSources(
      "  lds_config: {api_config_source: {api_type: REST, cluster_names: [one, two], refresh_delay: 5s}}\n");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(bootstrap->MainServer()->channel.target, "http://one:1");
  EXPECT_THAT(bootstrap->notes,
              ElementsAre("b.yaml:2: dynamic_resources.lds_config.api_config_source.cluster_names[1]: "
                          "is not asked: Envoy takes no second cluster here"));
}

TEST(EnvoyServers, AdsWithoutAdsConfigIsAskedOfNobody) {
  const auto bootstrap = ReadSources("  lds_config: {ads: {}}\n  cds_config: " + Source("one"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "cds_config: 0; lds_config:");
  EXPECT_THAT(bootstrap->notes, ElementsAre("b.yaml:2: dynamic_resources.lds_config: ads without ads_config is asked "
                                            "of nobody: Envoy refuses it"));
}

TEST(EnvoyServers, ResourcesFromFilesAskNobody) {
  for (const std::string form : {"path_config_source: {path: /lds.yaml}", "path: /lds.yaml"}) {
    const auto bootstrap = ReadSources("  lds_config: {" + form + "}\n  cds_config: " + Source("one"));
    ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
    EXPECT_EQ(TableOf(*bootstrap), "cds_config: 0; lds_config:");
    EXPECT_THAT(bootstrap->notes, testing::IsEmpty());
    EXPECT_EQ(bootstrap->files.at("lds_config").path, "/lds.yaml");
    EXPECT_THAT(bootstrap->files.at("lds_config").where, testing::StartsWith("b.yaml:2: dynamic_resources.lds_config"));
  }
  const auto neither = ReadSources("  lds_config: {resource_api_version: V3}\n  cds_config: " + Source("one"));
  ASSERT_TRUE(neither.ok()) << neither.status();
  EXPECT_THAT(neither->notes, ElementsAre("b.yaml:2: dynamic_resources.lds_config: is asked of nobody: only "
                                          "api_config_source, path_config_source and ads are"));
}

TEST(EnvoyServers, WhatIsWrongWithAnotherThanTheMainServerIsInItsStatus) {
  const auto bootstrap = ReadSources("  cds_config: " + Source("one") + "  lds_config: " + Source("none"));
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "cds_config: 1; lds_config: 0");
  EXPECT_EQ(base::Message(bootstrap->servers[0].status),
            "b.yaml:3: dynamic_resources.lds_config.api_config_source.grpc_services[0].envoy_grpc.cluster_name: "
            "static_resources has no cluster \"none\"");
  EXPECT_TRUE(bootstrap->MainServer()->status.ok());
}

TEST(EnvoyServers, NotesBelongToTheirServer) {
  const auto bootstrap = Read("dynamic_resources:\n  cds_config: " + Source("two") + "  lds_config: " + Source("one") +
                              std::string(kTwoClusters) +
                              "    transport_socket:\n      typed_config:\n"
                              "        \"@type\": x/a.b.UpstreamTlsContext\n"
                              "        common_tls_context: {tls_certificate_sds_secret_configs: [{name: x}]}\n");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_THAT(bootstrap->servers[bootstrap->config_sources.at("cds_config")[0]].notes, testing::SizeIs(1));
  EXPECT_THAT(bootstrap->servers[bootstrap->config_sources.at("lds_config")[0]].notes, testing::IsEmpty());
}

std::string GrpcServer(const std::string& uri) {
  return R"({"server_uri": ")" + uri + R"(", "channel_creds": [{"type": "insecure"}]})";
}

TEST(GrpcServers, AreTriedInOrder) {
  const auto bootstrap = Read("{\"xds_servers\": [" + GrpcServer("b:1") + "," + GrpcServer("a:1") + "]}");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "xds_servers: 0 1");
  EXPECT_THAT(TargetsOf(*bootstrap), ElementsAre("b:1", "a:1"));
  EXPECT_EQ(bootstrap->MainServer()->channel.target, "b:1");
}

TEST(GrpcServers, AnAuthorityHasItsOwnOrThoseOfAllOthers) {
  const auto bootstrap = Read("{\"xds_servers\": [" + GrpcServer("all:1") + R"(], "authorities": {
    "own.example": {"xds_servers": [)" +
                              GrpcServer("own:1") + "," + GrpcServer("all:1") + R"(]},
    "shared.example": {"client_listener_resource_name_template": "xdstp://shared.example/%s"},
    "empty.example": {"xds_servers": []},
    "": {"xds_servers": [)" + GrpcServer("nameless:1") +
                              "]}}}");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "xds_servers: 0; []: 2; [empty.example]: 0; [own.example]: 1 0; [shared.example]: 0");
  EXPECT_THAT(TargetsOf(*bootstrap), ElementsAre("all:1", "own:1", "nameless:1"));
}

TEST(GrpcServers, OtherCredentialsMakeAnotherServer) {
  const auto bootstrap = Read(R"({"xds_servers": [
    {"server_uri": "a:1", "channel_creds": [{"type": "insecure"}]},
    {"server_uri": "a:1", "channel_creds": [{"type": "tls"}]},
    {"server_uri": "a:1", "channel_creds": [{"type": "tls", "config": {"ca_certificate_file": "/pem/ca"}}]}]})");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "xds_servers: 0 1 2");
}

TEST(GrpcServers, WhatIsWrongWithAFallbackIsInItsStatus) {
  const auto bootstrap = Read("{\"xds_servers\": [" + GrpcServer("a:1") + ",\n" + GrpcServer("nowhere") +
                              R"(], "authorities": {"x.example": {"xds_servers": [)" + "\n" + GrpcServer("b") + "]}}}");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(TableOf(*bootstrap), "xds_servers: 0 1; [x.example]: 2");
  EXPECT_EQ(base::Message(bootstrap->servers[1].status),
            "b.yaml:2: xds_servers[1].server_uri: nowhere: no port: expected HOST:PORT");
  EXPECT_EQ(base::Message(bootstrap->servers[2].status),
            "b.yaml:3: authorities[\"x.example\"].xds_servers[0].server_uri: b: no port: expected HOST:PORT");
}

}  // namespace
}  // namespace xdscope::config
