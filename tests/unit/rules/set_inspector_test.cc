#include "lib/rules/set_inspector.h"

#include <gmock/gmock.h>

#include <deque>

#include "lib/format/read.h"
#include "lib/types/known_types.h"
#include "lib/wire/message.h"
#include "tests/fake/messages.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A file: its name, the type of its resources, and those as a list in YAML.
struct File {
  std::string name;
  std::string_view type_url;
  std::string_view yaml;
};

class SetInspectorTest : public testing::Test {
 protected:
  // "FILE: PATH: message [RULE]" of each finding, warnings with a "w" in front.
  std::vector<std::string> Inspect(const std::vector<File>& files, SetOptions options = {}) {
    std::vector<std::string> names;
    std::vector<Member> members;
    std::deque<wire::Message> messages;
    std::deque<format::ReadFile> read;
    for (const File& file : files) {
      names.push_back(file.name);
      read.push_back(format::Read(file.yaml, format::Format::kYaml, {.bare_type = std::string(file.type_url)}, types_));
      EXPECT_THAT(read.back().findings, IsEmpty()) << file.yaml;
      for (const format::ReadResource& resource : read.back().resources) {
        const wire::Type& type = *types_.Find(resource.type_url);
        const wire::Message& message = messages.emplace_back(*wire::Decode(resource.bytes, type));
        members.push_back(
            {names.size() - 1, {resource.type_url, message.view().GetText(1), members.size()}, message.view()});
      }
    }
    std::deque<finding::Sample> samples(files.size());
    SetInspector(types_, std::move(options)).Inspect(names, members, [&](std::size_t file) -> finding::Sample& {
      return samples[file];
    });
    std::vector<std::string> lines;
    for (std::size_t file = 0; file < files.size(); ++file) {
      for (const finding::Finding& finding : samples[file].kept()) {
        lines.push_back((finding.severity == finding::Severity::kWarning ? "w " : "") + names[file] + ": " +
                        finding::ToText(finding.path) + ": " + finding::ToText(finding));
      }
    }
    return lines;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(SetInspectorTest, AResourceStandsInAFileOnce) {
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, "[{name: a}, {name: A}, {name: a}]"}}),
              ElementsAre("cds.yaml: : \"a\" stands in the file twice [XDS-V007]"));
  EXPECT_THAT(Inspect({{"a.yaml", fake::kCds, "[{name: a}]"}, {"b.yaml", fake::kCds, "[{name: a}]"}}), IsEmpty());
}

TEST_F(SetInspectorTest, AllResourcesOfAFileAreOfOneType) {
  EXPECT_THAT(Inspect({{"lds.yaml", fake::kLds, R"([{name: l},
                        {"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: c}])"}}),
              ElementsAre("lds.yaml: : is a envoy.config.cluster.v3.Cluster, and the first resource of the file a "
                          "envoy.config.listener.v3.Listener [XDS-V006]"));
}

constexpr std::string_view kFromFile =
    "[{name: web, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: /etc/envoy/eds-web.yaml}}}}]";

TEST_F(SetInspectorTest, AFileThatAConfigSourcePointsToHoldsWhatIsAskedFor) {
  const File clusters = {"cds.yaml", fake::kCds, kFromFile};
  EXPECT_THAT(Inspect({clusters, {"d/eds-web.yaml", fake::kEds, "[{cluster_name: web}]"}}), IsEmpty());
  EXPECT_THAT(Inspect({clusters, {"d/eds-web.yaml", fake::kEds, "[{cluster_name: Web}]"}}),
              ElementsAre("d/eds-web.yaml: : is \"Web\", where \"web\" is wanted [XDS-V005]"));
  EXPECT_THAT(Inspect({clusters, {"d/eds-web.yaml", fake::kEds, "[{cluster_name: web}, {cluster_name: api}]"}}),
              ElementsAre("d/eds-web.yaml: : is another resource in the file of eds \"web\", which holds one "
                          "[XDS-V004]"));
  EXPECT_THAT(Inspect({clusters, {"d/eds-web.yaml", fake::kCds, "[{name: web}]"}}),
              ElementsAre("d/eds-web.yaml: : is a envoy.config.cluster.v3.Cluster, and the file is subscribed to as "
                          "eds [XDS-V006]"));
  EXPECT_THAT(Inspect({clusters, {"d/eds-web.yaml", fake::kEds, "[]"}}),
              ElementsAre("w d/eds-web.yaml: : holds nothing, and eds \"web\" is expected [XDS-V004]"));
}

// Who serves a folder holds in a file what he likes.
TEST_F(SetInspectorTest, AFileThatNobodyPointsToMayHoldSeveralResources) {
  EXPECT_THAT(Inspect({{"eds.yaml", fake::kEds, "[{cluster_name: a}, {cluster_name: b}]"}}), IsEmpty());
}

TEST_F(SetInspectorTest, ListenersHaveAddressesOfTheirOwn) {
  constexpr std::string_view kTwo = R"([
      {name: a, address: {socket_address: {address: 0.0.0.0, port_value: 80}}},
      {name: b, address: {pipe: {path: /b}}, additional_addresses: [
          {address: {socket_address: {address: 0.0.0.0, port_value: 80}}}]}])";
  EXPECT_THAT(Inspect({{"lds.yaml", fake::kLds, kTwo}}),
              ElementsAre("lds.yaml: additional_addresses[0]: 0.0.0.0:80 is the address of \"a\" too [XDS-V024]"));
  constexpr std::string_view kApart = R"([
      {name: a, address: {socket_address: {address: 0.0.0.0, port_value: 80}}},
      {name: b, address: {socket_address: {address: 0.0.0.0, port_value: 80, protocol: UDP}}},
      {name: c, address: {socket_address: {address: 0.0.0.0, port_value: 0}}},
      {name: d, address: {socket_address: {address: 0.0.0.0, port_value: 0}}}])";
  EXPECT_THAT(Inspect({{"lds.yaml", fake::kLds, kApart}}), IsEmpty());
}

constexpr std::string_view kRouteTo =
    "[{name: r, virtual_hosts: [{name: v, domains: ['*'], routes: [{match: {prefix: /}, route: {cluster: pay}}]}]}]";

TEST_F(SetInspectorTest, AClusterThatIsReferredToIsThere) {
  const File routes = {"rds.yaml", fake::kRds, kRouteTo};
  const File clusters = {"cds.yaml", fake::kCds, "[{name: pay-2}]"};
  constexpr std::string_view kLine =
      "rds.yaml: virtual_hosts[0].routes[0].route.cluster: \"pay\" is none of the clusters in the files [XDS-V051]";
  EXPECT_THAT(Inspect({routes, clusters}), ElementsAre("w " + std::string(kLine)));
  EXPECT_THAT(Inspect({routes, clusters}, {.strict = true}), ElementsAre(kLine));
  EXPECT_THAT(Inspect({routes, clusters}, {.known_clusters = {"pay"}}), IsEmpty());
  EXPECT_THAT(Inspect({routes}), IsEmpty());
}

// Envoy looks for the clusters of routes where it is told to, and in a connection manager by itself.
TEST_F(SetInspectorTest, AClusterThatEnvoyLooksForIsAnError) {
  const File clusters = {"cds.yaml", fake::kCds, "[{name: c}]"};
  const auto listener = [](std::string_view more) {
    return R"([{name: l, filter_chains: [{filters: [{name: h, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager,
        route_config: {)" +
           std::string(more) + R"( virtual_hosts: [{routes: [{route: {cluster: pay}}]}]}}}]}]}])";
  };
  const std::string inline_routes = listener("");
  const std::string unchecked = listener("validate_clusters: false,");
  constexpr std::string_view kPath =
      "lds.yaml: filter_chains[0].filters[0].typed_config.route_config.virtual_hosts[0].routes[0].route.cluster: ";
  EXPECT_THAT(Inspect({clusters, {"lds.yaml", fake::kLds, inline_routes}}),
              ElementsAre(std::string(kPath) + "\"pay\" is none of the clusters in the files [XDS-V051]"));
  EXPECT_THAT(Inspect({clusters, {"lds.yaml", fake::kLds, unchecked}}),
              ElementsAre("w " + std::string(kPath) + "\"pay\" is none of the clusters in the files [XDS-V051]"));
}

TEST_F(SetInspectorTest, ASecretWithoutASourceIsOneOfTheBootstrap) {
  const File clusters = {"cds.yaml", fake::kCds, R"([{name: c, transport_socket: {name: t, typed_config: {
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext,
      common_tls_context: {validation_context_sds_secret_config: {name: ca}}}}}])"};
  EXPECT_THAT(
      Inspect({clusters}),
      ElementsAre("cds.yaml: transport_socket.typed_config.common_tls_context."
                  "validation_context_sds_secret_config.name: \"ca\" has no sds_config, so it has to be a static "
                  "secret of the bootstrap [XDS-V102]"));
  EXPECT_THAT(Inspect({clusters}, {.known_secrets = {{"ca", "validation_context"}}}), IsEmpty());
}

TEST_F(SetInspectorTest, WhatIsDiscoveredIsLookedForWhereThereIsSomeOfItsType) {
  const File clusters = {"cds.yaml", fake::kCds,
                         "[{name: web, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}}]"};
  EXPECT_THAT(Inspect({clusters}), IsEmpty());
  EXPECT_THAT(Inspect({clusters, {"eds.yaml", fake::kEds, "[{cluster_name: api}]"}}),
              ElementsAre("w cds.yaml: eds_cluster_config: \"web\" is none of the endpoints in the files [XDS-V210]"));
}

constexpr std::string_view kSrds = "type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration";

TEST_F(SetInspectorTest, ScopesHaveKeysOfTheirOwn) {
  EXPECT_THAT(Inspect({{"srds.yaml", kSrds, R"([
                  {name: a, key: {fragments: [{string_key: x}, {string_key: yz}]}},
                  {name: b, key: {fragments: [{string_key: xy}, {string_key: z}]}},
                  {name: c, key: {fragments: [{string_key: x}, {string_key: yz}]}}])"}}),
              ElementsAre("srds.yaml: key: scopes \"a\" and \"c\" have the same key [XDS-V061]"));
}

TEST_F(SetInspectorTest, TheRoutesOfScopesComeFromWhereTheListenerSays) {
  const File listener = {"lds.yaml", fake::kLds, R"([{name: l, filter_chains: [{filters: [{name: h, typed_config: {
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager,
      scoped_routes: {name: s, rds_config_source: {path_config_source: {path: ./rds.yaml}},
                      scoped_rds: {scoped_rds_config_source: {path_config_source: {path: ./srds.yaml}}}}}}]}]}])"};
  const File scopes = {"srds.yaml", kSrds, "[{name: a, route_configuration_name: main}]"};
  EXPECT_THAT(Inspect({listener, scopes, {"rds.yaml", fake::kRds, "[{name: main}]"}}), IsEmpty());
  EXPECT_THAT(Inspect({listener, scopes, {"rds.yaml", fake::kRds, "[{name: other}]"}}),
              ElementsAre("rds.yaml: : is \"other\", where \"main\" is wanted [XDS-V005]"));
}

TEST_F(SetInspectorTest, ConfigurationForRoutesIsForAFilterThatIsThere) {
  const File listener = {"lds.yaml", fake::kLds, R"([{name: l, filter_chains: [{filters: [{name: h, typed_config: {
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager,
      http_filters: [{name: cors}, {name: router}], rds: {route_config_name: r, config_source: {ads: {}}}}}]}]}])"};
  const auto routes = [](std::string_view key) {
    return "[{name: r, virtual_hosts: [{name: v, typed_per_filter_config: {" + std::string(key) +
           R"(: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy}}}]}])";
  };
  const std::string good = routes("cors");
  const std::string bad = routes("crs");
  EXPECT_THAT(Inspect({listener, {"rds.yaml", fake::kRds, good}}), IsEmpty());
  EXPECT_THAT(Inspect({listener, {"rds.yaml", fake::kRds, bad}}),
              ElementsAre("w rds.yaml: virtual_hosts[0].typed_per_filter_config[\"crs\"]: \"crs\" is the name of no "
                          "HTTP filter where these routes are used [XDS-V057]"));
  EXPECT_THAT(Inspect({{"rds.yaml", fake::kRds, bad}}), IsEmpty());
}

// Nobody may learn from a finding what a Secret holds, nor does one refer to anything.
TEST_F(SetInspectorTest, SecretsReferToNothing) {
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, "[{name: c}]"},
                       {"sds.yaml", fake::kSds, "[{name: s, generic_secret: {secret: {inline_string: pay}}}]"}}),
              IsEmpty());
}

// FCDS is for all filter chains of a listener, whatever its name.
TEST_F(SetInspectorTest, AFileOfFilterChainsHoldsAnyOfThem) {
  const File listeners = {"lds.yaml", fake::kLds,
                          "[{name: l, fcds_config: {name: x, config_source: {path_config_source: {path: f.yaml}}}}]"};
  constexpr std::string_view kChains = "type.googleapis.com/envoy.config.listener.v3.FilterChain";
  EXPECT_THAT(Inspect({listeners, {"f.yaml", kChains, "[{name: a}, {name: b}]"}}), IsEmpty());
  EXPECT_THAT(Inspect({listeners, {"f.yaml", kChains, "[]"}}), IsEmpty());
  EXPECT_THAT(Inspect({listeners, {"f.yaml", fake::kCds, "[{name: a}]"}}), testing::SizeIs(1));
}

// A cluster with a validation context and a certificate, both of secret "s".
std::string WithSecret(std::string_view use, std::string_view source) {
  return R"([{name: web, transport_socket: {name: tls, typed_config: {
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext,
      common_tls_context: {)" +
         std::string(use) + ": " + std::string(source) + "}}}}]";
}

TEST_F(SetInspectorTest, ASecretIsOfTheKindThatIsWanted) {
  const std::string certificate =
      WithSecret("tls_certificate_sds_secret_configs", "[{name: s, sds_config: {ads: {}}}]");
  const std::string validation = WithSecret("validation_context_sds_secret_config", "{name: s, sds_config: {ads: {}}}");
  const File authority = {"sds.yaml", fake::kSds, "[{name: s, validation_context: {}}]"};
  const File key = {"sds.yaml", fake::kSds, "[{name: s, generic_secret: {}}]"};
  const std::string path = "cds.yaml: transport_socket.typed_config.common_tls_context.";
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, certificate}, authority}),
              ElementsAre(path + "tls_certificate_sds_secret_configs[0].name: secret \"s\" is no tls_certificate "
                                 "[XDS-V103]"));
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, validation}, authority}), IsEmpty());
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, validation}, key}),
              ElementsAre("w " + path +
                          "validation_context_sds_secret_config.name: secret \"s\" is no "
                          "validation_context [XDS-V103]"));
  const std::string of_bootstrap = WithSecret("tls_certificate_sds_secret_configs", "[{name: s}]");
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, of_bootstrap}}, {.known_secrets = {{"s", "generic_secret"}}}),
              ElementsAre(path + "tls_certificate_sds_secret_configs[0].name: static secret \"s\" is a "
                                 "generic_secret, and a tls_certificate is wanted [XDS-V103]"));
}

TEST_F(SetInspectorTest, AggregateClustersAreNoCircle) {
  const auto aggregate = [](std::string_view name, std::string_view members) {
    return "{name: " + std::string(name) + R"(, cluster_type: {name: a, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig, clusters: )" +
           std::string(members) + "}}},";
  };
  const std::string circle =
      "[" + aggregate("a", "[b, x]") + aggregate("b", "[c]") + aggregate("c", "[a]") + "{name: x}]";
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, circle}}),
              ElementsAre("w cds.yaml: cluster_type.typed_config.clusters: aggregate cluster \"a\" leads back to "
                          "itself by \"c\" [XDS-V085]"));
  const std::string twice =
      "[" + aggregate("a", "[b, c]") + aggregate("b", "[c]") + aggregate("c", "[x]") + "{name: x}]";
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, twice}}), IsEmpty());
}

TEST_F(SetInspectorTest, StatisticsHaveNamesOfTheirOwn) {
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, "[{name: a, alt_stat_name: b}, {name: b}]"}}),
              ElementsAre("w cds.yaml: alt_stat_name: the statistics of \"b\" have the name \"b\" too [XDS-V087]"));
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, "[{name: a, alt_stat_name: c}, {name: b}]"}}), IsEmpty());
}

// Reads a bootstrap for a set.
class BootstrapTest : public SetInspectorTest {
 protected:
  SetOptions Options(std::string_view yaml) {
    const format::ReadFile file =
        format::Read(yaml, format::Format::kYaml, {.bare_type = "envoy.config.bootstrap.v3.Bootstrap"}, types_);
    EXPECT_THAT(file.findings, IsEmpty());
    const wire::Message message =
        *wire::Decode(file.resources.front().bytes, *types_.Find(file.resources.front().type_url));
    SetOptions options;
    AddBootstrap(message.view(), &options);
    return options;
  }
  // A cluster whose endpoints come from a cluster.
  static std::string From(std::string_view cluster) {
    return "[{name: web, type: EDS, eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC, "
           "grpc_services: [{envoy_grpc: {cluster_name: " +
           std::string(cluster) + "}}]}}}}]";
  }
};

TEST_F(BootstrapTest, ConfigurationComesFromAStaticClusterWithEndpoints) {
  constexpr std::string_view kStatic = R"(static_resources: {clusters: [
      {name: xds}, {name: by-file, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: f}}}},
      {name: by-server, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}}]})";
  const std::string path =
      "cds.yaml: eds_cluster_config.eds_config.api_config_source.grpc_services[0].envoy_grpc.cluster_name: ";
  const auto of = [&](std::string_view cluster) {
    const std::string yaml = From(cluster);
    return Inspect({{"cds.yaml", fake::kCds, yaml}}, Options(kStatic));
  };
  EXPECT_THAT(of("xds"), IsEmpty());
  EXPECT_THAT(of("by-file"), IsEmpty());
  EXPECT_THAT(of("by-server"), ElementsAre(path + "the endpoints of cluster \"by-server\" come from a server "
                                                  "themselves [XDS-V083]"));
  EXPECT_THAT(of("gone"), testing::Contains(path + "\"gone\" is no static cluster of the bootstrap [XDS-V083]"));
  const std::string yaml = From("web2");
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, yaml}}, {.known_clusters = {"web2"}}), IsEmpty());
}

TEST_F(BootstrapTest, TheLocalClusterHasOnePriority) {
  constexpr std::string_view kLocal = R"({cluster_manager: {local_cluster_name: me}, static_resources: {clusters: [
      {name: me, type: EDS, eds_cluster_config: {service_name: mine, eds_config: {ads: {}}}}]}})";
  EXPECT_THAT(
      Inspect({{"eds.yaml", fake::kEds, "[{cluster_name: mine, endpoints: [{}, {priority: 2}]}]"}}, Options(kLocal)),
      ElementsAre("eds.yaml: endpoints[1].priority: the local cluster has priority 0 alone, and not 2 "
                  "[XDS-V095]"));
  EXPECT_THAT(Inspect({{"eds.yaml", fake::kEds, "[{cluster_name: me, endpoints: [{priority: 2}]}]"}}, Options(kLocal)),
              IsEmpty());
}

TEST_F(SetInspectorTest, AFileThatIsReferredToIsThere) {
  SetOptions options;
  options.is_missing = [](std::string_view path, std::string_view file) {
    return path.starts_with("gone") && file == "cds.yaml";
  };
  const auto eds = [](std::string_view path) {
    return "[{name: web, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: " + std::string(path) +
           "}}}}]";
  };
  const std::string gone = eds("gone.yaml"), there = eds("there.yaml");
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, gone}}, options),
              ElementsAre("cds.yaml: eds_cluster_config.eds_config.path_config_source.path: there is no file gone.yaml "
                          "[XDS-V084]"));
  EXPECT_THAT(Inspect({{"cds.yaml", fake::kCds, there}}, options), IsEmpty());
  EXPECT_THAT(Inspect({{"other.yaml", fake::kCds, gone}}, options), IsEmpty());
  EXPECT_THAT(
      Inspect({{"cds.yaml", fake::kSds, "[{name: s, tls_certificate: {private_key: {filename: gone.key}}}]"}}, options),
      ElementsAre("cds.yaml: tls_certificate.private_key.filename: names a file that is not there [XDS-V105]"));
}

}  // namespace
}  // namespace xdscope::rules
