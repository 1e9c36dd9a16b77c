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
      "rds.yaml: virtual_hosts[0].routes[0].route.cluster: cds \"pay\" is in none of the files [XDS-V051]";
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
              ElementsAre(std::string(kPath) + "cds \"pay\" is in none of the files [XDS-V051]"));
  EXPECT_THAT(Inspect({clusters, {"lds.yaml", fake::kLds, unchecked}}),
              ElementsAre("w " + std::string(kPath) + "cds \"pay\" is in none of the files [XDS-V051]"));
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
  EXPECT_THAT(Inspect({clusters}, {.known_secrets = {"ca"}}), IsEmpty());
}

TEST_F(SetInspectorTest, WhatIsDiscoveredIsLookedForWhereThereIsSomeOfItsType) {
  const File clusters = {"cds.yaml", fake::kCds,
                         "[{name: web, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}}]"};
  EXPECT_THAT(Inspect({clusters}), IsEmpty());
  EXPECT_THAT(Inspect({clusters, {"eds.yaml", fake::kEds, "[{cluster_name: api}]"}}),
              ElementsAre("w cds.yaml: eds_cluster_config: eds \"web\" is in none of the files [XDS-V210]"));
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

}  // namespace
}  // namespace xdscope::rules
