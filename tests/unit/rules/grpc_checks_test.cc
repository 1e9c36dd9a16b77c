#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "lib/finding/rules.h"
#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GrpcChecksTest : public ExamplesTest {
 protected:
  // What is said to users of gRPC alone.
  std::vector<std::string> ForGrpc(std::string_view type_url, std::string_view yaml) {
    std::vector<std::string> lines;
    for (const finding::Finding& finding : Inspect(type_url, yaml)) {
      const finding::Rule* const rule = finding::FindRule(finding.rule);
      if (rule != nullptr && rule->client == finding::Client::kGrpc) lines.push_back(finding::ToText(finding));
    }
    return lines;
  }
};

// A listener for clients, one for servers, routes and a cluster that gRPC takes.
constexpr std::string_view kClient = R"(
api_listener:
  api_listener:
    "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
    rds: {route_config_name: r, config_source: {self: {}}}
    http_filters:
    - {name: f, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault}}
    - {name: g, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}, is_optional: true}
    - {name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}
)";
constexpr std::string_view kServer = R"(
address: {socket_address: {address: 0.0.0.0, port_value: 80}}
filter_chains:
- filters:
  - name: m
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      route_config: {}
  transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      require_client_certificate: true
      common_tls_context:
        tls_certificate_provider_instance: {instance_name: i}
        validation_context: {ca_certificate_provider_instance: {instance_name: i}}
)";
constexpr std::string_view kRoutes = R"(
virtual_hosts:
- name: v
  domains: ["*"]
  retry_policy: {retry_on: cancelled}
  typed_per_filter_config:
    f: {"@type": type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault}
    g:
      "@type": type.googleapis.com/envoy.config.route.v3.FilterConfig
      is_optional: true
      config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy}
  routes:
  - {match: {path: /pkg.Service/Method}, route: {cluster: c}}
  - {match: {prefix: /pkg.Service/}, route: {cluster: c}}
  - {match: {prefix: /pkg.Service/Me}, route: {cluster: c}}
  - {match: {prefix: ""}, route: {cluster: c}}
  - {match: {safe_regex: {regex: a}}, route: {cluster: c}}
)";
constexpr std::string_view kCluster = R"(
name: "xdstp://a/envoy.config.cluster.v3.Cluster/c"
type: EDS
eds_cluster_config: {eds_config: {ads: {}}, service_name: s}
lrs_server: {self: {}}
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest}
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst}
transport_socket:
  name: tls
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
    common_tls_context:
      tls_certificates: [{}]
      tls_certificate_provider_instance: {instance_name: i}
      validation_context: {system_root_certs: {}}
)";

TEST_F(GrpcChecksTest, WhatGrpcTakesHasNoFindings) {
  EXPECT_THAT(ForGrpc(fake::kLds, kClient), IsEmpty());
  EXPECT_THAT(ForGrpc(fake::kLds, kServer), IsEmpty());
  EXPECT_THAT(ForGrpc(fake::kRds, kRoutes), IsEmpty());
  EXPECT_THAT(ForGrpc(fake::kCds, kCluster), IsEmpty());
}

// The fields of an HttpConnectionManager.
std::string Manager(std::string_view fields) {
  return fmt::format(R"(
api_listener:
  api_listener:
    "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
    {}
)",
                     fields);
}

TEST_F(GrpcChecksTest, AManagerHasRoutesInlineOrFromTheSameStream) {
  const auto of = [&](std::string_view fields) { return Findings("XDS-V111", fake::kLds, Manager(fields)); };
  const std::string path = "api_listener.api_listener";
  EXPECT_THAT(of("route_config: {}"), IsEmpty());
  EXPECT_THAT(of("scoped_routes: {}"), ElementsAre(path + ": has neither route_config nor rds"));
  EXPECT_THAT(of("rds: {config_source: {path: f}}"),
              ElementsAre(path + ".rds: the config_source of gRPC is ads or self"));
  EXPECT_THAT(of("rds: {}"), ElementsAre(path + ".rds: the config_source of gRPC is ads or self"));
  EXPECT_THAT(of("route_config: {}\n    xff_num_trusted_hops: 1"),
              ElementsAre(path + ".xff_num_trusted_hops: gRPC trusts no hops: xff_num_trusted_hops is 0"));
  EXPECT_THAT(of("route_config: {}\n    original_ip_detection_extensions: [{name: a}]"),
              ElementsAre(path + ".original_ip_detection_extensions: gRPC does not support "
                                 "original_ip_detection_extensions"));
}

TEST_F(GrpcChecksTest, AFilterThatGrpcHasNotIsOptional) {
  const auto of = [&](std::string_view filter) {
    return Findings("XDS-V112", fake::kLds, Manager(fmt::format("http_filters: [{}]", filter)));
  };
  EXPECT_THAT(
      of("{name: f, typed_config: {\"@type\": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}}"),
      ElementsAre("api_listener.api_listener.http_filters[0]: gRPC has no HTTP filter "
                  "envoy.extensions.filters.http.cors.v3.Cors, and \"f\" is not optional"));
  EXPECT_THAT(of("{name: f}"), ElementsAre("api_listener.api_listener.http_filters[0]: \"f\" has no typed_config"));
}

// The context of a server, and of a client.
std::string Server(std::string_view fields) {
  return fmt::format(R"(
filter_chains:
- transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      {}
)",
                     fields);
}

TEST_F(GrpcChecksTest, AServerHasProvidersOfCertificates) {
  const auto of = [&](std::string_view fields) { return Findings("XDS-V116", fake::kLds, Server(fields)); };
  const std::string path = "filter_chains[0].transport_socket.typed_config";
  constexpr std::string_view kProvided =
      "{tls_certificate_provider_instance: {instance_name: i}, validation_context: {system_root_certs: {}, "
      "match_subject_alt_names: [{exact: a}]}}";
  EXPECT_THAT(of("common_tls_context: {tls_certificates: [{}]}"),
              ElementsAre(path + ": has no tls_certificate_provider_instance",
                          path + ".common_tls_context.tls_certificates: gRPC does not support tls_certificates"));
  EXPECT_THAT(of(fmt::format("require_client_certificate: true\n      common_tls_context: {}", kProvided)),
              ElementsAre(path + ".require_client_certificate: asks for a client's certificate, and has no "
                                 "ca_certificate_provider_instance",
                          path + ".common_tls_context: a server of gRPC has no system_root_certs",
                          path + ".common_tls_context: a server of gRPC has no match_subject_alt_names"));
}

const Example kExamples[] = {
    {"XDS-V110", fake::kLds, "name: l",
     ": has neither an api_listener, as clients need it, nor an address, as servers do", kClient},
    {"XDS-V110", fake::kLds, "api_listener: {}",
     "api_listener: the api_listener of gRPC holds an HttpConnectionManager", kClient},
    {"XDS-V110", fake::kLds, "address: {pipe: {path: /a}}", "address: a server of gRPC listens on a socket_address",
     kServer},
    {"XDS-V110", fake::kLds, "address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}",
     "address: a server of gRPC listens on TCP", kServer},
    {"XDS-V110", fake::kLds, "use_original_dst: true", "use_original_dst: gRPC does not support use_original_dst",
     kServer},
    {"XDS-V110", fake::kLds, "filter_chains: [{filters: [{name: a}]}]",
     "filter_chains[0].filters: a filter chain of gRPC has one filter, an HttpConnectionManager", kServer},
    {"XDS-V112", fake::kRds, R"(
virtual_hosts:
- typed_per_filter_config:
    r: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
)",
     "virtual_hosts[0].typed_per_filter_config[\"r\"]: the router has no configuration of its own for a route",
     kRoutes},
    {"XDS-V112", fake::kRds, R"(
virtual_hosts:
- routes:
  - typed_per_filter_config:
      r:
        "@type": type.googleapis.com/envoy.config.route.v3.FilterConfig
        config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy}
)",
     "virtual_hosts[0].routes[0].typed_per_filter_config[\"r\"]: gRPC has no HTTP filter "
     "envoy.extensions.filters.http.cors.v3.CorsPolicy",
     kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {path: /a}}]}]",
     "virtual_hosts[0].routes[0].match.path: \"/a\" is the path of no method: gRPC passes over the route", kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {path: /a/b/c}}]}]",
     "virtual_hosts[0].routes[0].match.path: \"/a/b/c\" is the path of no method: gRPC passes over the route", kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {path: /a/}}]}]",
     "virtual_hosts[0].routes[0].match.path: \"/a/\" is the path of no method: gRPC passes over the route",
     "virtual_hosts: [{routes: [{match: {prefix: /}}]}]"},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {prefix: a}}]}]",
     "virtual_hosts[0].routes[0].match.prefix: \"a\" begins the path of no method: gRPC passes over the route",
     kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {prefix: //a}}]}]",
     "virtual_hosts[0].routes[0].match.prefix: \"//a\" begins the path of no method: gRPC passes over the route",
     kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {prefix: /, query_parameters: [{name: q}]}}]}]",
     "virtual_hosts[0].routes[0].match.query_parameters: gRPC passes over a route that matches by query_parameters",
     kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{match: {connect_matcher: {}}}]}]",
     "virtual_hosts[0].routes[0].match.connect_matcher: gRPC does not match by connect_matcher", kRoutes},
    {"XDS-V113", fake::kRds, "virtual_hosts: [{routes: [{route: {cluster_header: h}}]}]",
     "virtual_hosts[0].routes[0].route.cluster_header: gRPC passes over a route that takes its cluster from a header",
     kRoutes},
    {"XDS-V114", fake::kCds, "name: c", ": a cluster of gRPC is of type EDS or LOGICAL_DNS, or an aggregate", kCluster},
    {"XDS-V114", fake::kCds, "type: STRICT_DNS",
     "type: a cluster of gRPC is of type EDS or LOGICAL_DNS, or an aggregate", "type: LOGICAL_DNS"},
    {"XDS-V114", fake::kCds, "cluster_type: {name: a}", "cluster_type: gRPC has no custom clusters but aggregate ones",
     R"(
cluster_type:
  name: a
  typed_config: {"@type": type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig, clusters: [b]}
)"},
    {"XDS-V114", fake::kCds, "{type: EDS, eds_cluster_config: {eds_config: {path: f}}}",
     "eds_cluster_config.eds_config: the eds_config of gRPC is ads or self", kCluster},
    {"XDS-V114", fake::kCds, "{name: \"xdstp:a\", type: EDS, eds_cluster_config: {eds_config: {self: {}}}}",
     "eds_cluster_config: a cluster with an xdstp name needs a service_name", kCluster},
    {"XDS-V114", fake::kCds, "{type: LOGICAL_DNS, lrs_server: {ads: {}}}", "lrs_server: the lrs_server of gRPC is self",
     kCluster},
    {"XDS-V114", fake::kCds, "{type: LOGICAL_DNS, lb_policy: RANDOM}",
     "lb_policy: gRPC balances by ROUND_ROBIN, RING_HASH or a load_balancing_policy",
     "{type: LOGICAL_DNS, lb_policy: RING_HASH}"},
    {"XDS-V114", fake::kCds, R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.random.v3.Random}
)",
     "load_balancing_policy.policies: has no policy that gRPC has", R"(
type: LOGICAL_DNS
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/xds.type.v3.TypedStruct, type_url: x/own.Policy}
)"},
    {"XDS-V115", fake::kRds, "virtual_hosts: [{retry_policy: {num_retries: 0}}]",
     "virtual_hosts[0].retry_policy.num_retries: gRPC retries once at least, or has no retry policy",
     "virtual_hosts: [{retry_policy: {num_retries: 1}}]"},
    {"XDS-V116", fake::kCds, R"(
transport_socket:
  name: tls
  typed_config: {"@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext}
)",
     "transport_socket.typed_config: has neither a ca_certificate_provider_instance nor system_root_certs", kCluster},
    {"XDS-V116", fake::kCds, "transport_socket: {name: raw}",
     "transport_socket: the transport_socket of a client of gRPC is an UpstreamTlsContext", kCluster},
    {"XDS-V116", fake::kLds, "filter_chains: [{transport_socket: {name: raw}}]",
     "filter_chains[0].transport_socket: the transport_socket of a server of gRPC is a DownstreamTlsContext", kServer},
    {"XDS-V116", fake::kCds, R"(
transport_socket:
  name: tls
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
    common_tls_context: {tls_params: {}, validation_context: {verify_certificate_spki: [a], crl: {filename: f}}}
)",
     "transport_socket.typed_config.common_tls_context.validation_context.verify_certificate_spki: gRPC does not "
     "support verify_certificate_spki",
     kCluster},
    {"XDS-V116", fake::kLds, R"(
filter_chains:
- transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      require_sni: true
      ocsp_staple_policy: MUST_STAPLE
)",
     "filter_chains[0].transport_socket.typed_config.ocsp_staple_policy: the ocsp_staple_policy of gRPC is "
     "LENIENT_STAPLING",
     kServer},
    {"XDS-V117", fake::kRds,
     "virtual_hosts: [{routes: [{match: {headers: [{name: h, string_match: {safe_regex: {regex: a}, ignore_case: "
     "true}}]}}]}]",
     "virtual_hosts[0].routes[0].match.headers[0].string_match.ignore_case: gRPC does not ignore the case of a "
     "safe_regex: \"(?i)\" in it does",
     "virtual_hosts: [{routes: [{match: {headers: [{name: h, string_match: {exact: a, ignore_case: true}}]}}]}]"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(GrpcChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

// Secrets are for Envoy, which takes pins in them.
TEST_F(GrpcChecksTest, SecretsAreNotForGrpc) {
  EXPECT_THAT(ForGrpc(fake::kSds, "validation_context: {verify_certificate_spki: [a], crl: {filename: f}}"), IsEmpty());
}

TEST_F(GrpcChecksTest, PoliciesStandInOneAnotherTo16) {
  const auto nested = [](int depth) {
    std::string policy = "{policies: []}";
    for (int i = 0; i < depth; ++i) {
      policy = fmt::format(
          "{{policies: [{{typed_extension_config: {{name: p, typed_config: {{\"@type\": "
          "type.googleapis.com/envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality, "
          "endpoint_picking_policy: {}}}}}}}]}}",
          policy);
    }
    return "load_balancing_policy: " + policy;
  };
  const auto too_deep = testing::Contains(testing::EndsWith(": is nested in 16 others, too deep for gRPC"));
  EXPECT_THAT(Findings("XDS-V114", fake::kCds, nested(15)), testing::Not(too_deep));
  EXPECT_THAT(Findings("XDS-V114", fake::kCds, nested(16)), too_deep);
}

}  // namespace
}  // namespace xdscope::rules
