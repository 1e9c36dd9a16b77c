#include <gmock/gmock.h>

#include <string>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ClusterChecksTest : public ExamplesTest {
 protected:
  // The severities of what is found of a rule.
  std::vector<finding::Severity> Severities(std::string_view rule, std::string_view yaml) {
    std::vector<finding::Severity> severities;
    for (const finding::Finding& finding : Inspect(fake::kCds, yaml)) {
      if (finding.rule == rule) severities.push_back(finding.severity);
    }
    return severities;
  }
};

constexpr std::string_view kEds = "{type: EDS, eds_cluster_config: {eds_config: {ads: {}}}}";
constexpr std::string_view kLogicalDns = R"(
type: LOGICAL_DNS
load_assignment: {endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: a.b, port_value: 1}}}}]}]}
)";
constexpr std::string_view kAggregate = R"(
name: a
lb_policy: CLUSTER_PROVIDED
cluster_type:
  name: t
  typed_config: {"@type": type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig, clusters: [b]}
)";
constexpr std::string_view kRoundRobin = R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin}
)";

const Example kExamples[] = {
    {"XDS-V070", fake::kCds, "type: EDS", "type: a cluster of type EDS needs an eds_cluster_config", kEds},
    {"XDS-V070", fake::kCds, "{type: EDS, eds_cluster_config: {service_name: s}}",
     "eds_cluster_config: does not say by eds_config where endpoints come from",
     "{type: EDS, eds_cluster_config: {service_name: \"xdstp://a/envoy.config.endpoint.v3.ClusterLoadAssignment/s\"}}"},
    {"XDS-V070", fake::kCds, "{type: STRICT_DNS, eds_cluster_config: {eds_config: {ads: {}}}}",
     "eds_cluster_config: eds_cluster_config is for clusters of type EDS", kEds},
    {"XDS-V070", fake::kCds, "{type: EDS, eds_cluster_config: {eds_config: {ads: {}}}, load_assignment: {}}",
     "load_assignment: a cluster of type EDS ignores its load_assignment", "{type: STATIC, load_assignment: {}}"},
    {"XDS-V071", fake::kCds, "type: LOGICAL_DNS",
     ": a LOGICAL_DNS cluster has one endpoint, and this one has no load_assignment", "type: STRICT_DNS"},
    {"XDS-V071", fake::kCds, "{type: LOGICAL_DNS, load_assignment: {endpoints: [{lb_endpoints: [{}, {}]}]}}",
     "load_assignment: a LOGICAL_DNS cluster has one locality with one endpoint, and not 1 with 2", kLogicalDns},
    {"XDS-V071", fake::kCds, "{type: LOGICAL_DNS, load_assignment: {endpoints: [{lb_endpoints: [{}]}, {}]}}",
     "load_assignment: a LOGICAL_DNS cluster has one locality with one endpoint, and not 2 with 1",
     "{type: STRICT_DNS, load_assignment: {endpoints: [{lb_endpoints: [{}]}, {}]}}"},
    {"XDS-V071", fake::kCds, R"(
cluster_type:
  name: envoy.clusters.dns
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.clusters.dns.v3.DnsCluster
    all_addresses_in_single_endpoint: true
load_assignment: {}
)",
     "load_assignment: a LOGICAL_DNS cluster has one locality with one endpoint, and not 0 with 0", R"(
cluster_type:
  name: envoy.clusters.dns
  typed_config: {"@type": type.googleapis.com/envoy.extensions.clusters.dns.v3.DnsCluster}
load_assignment: {}
)"},
    {"XDS-V071", fake::kCds, R"(
type: STRICT_DNS
load_assignment:
  endpoints: [{lb_endpoints: [{}, {endpoint: {address: {socket_address: {address: a, port_value: 1, resolver_name: r}}}}]}]
)",
     "load_assignment.endpoints[0].lb_endpoints[1].endpoint.address.socket_address.resolver_name: a DNS cluster has no "
     "resolver of its own, and not \"r\"",
     kLogicalDns},
    {"XDS-V073", fake::kCds, "type: ORIGINAL_DST",
     "type: the lb_policy of a cluster of type ORIGINAL_DST is CLUSTER_PROVIDED, and not ROUND_ROBIN",
     "{type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED}"},
    {"XDS-V073", fake::kCds, "{type: ORIGINAL_DST, lb_policy: RANDOM}",
     "lb_policy: the lb_policy of a cluster of type ORIGINAL_DST is CLUSTER_PROVIDED, and not RANDOM",
     "{type: STATIC, lb_policy: RANDOM}"},
    {"XDS-V073", fake::kCds, "{type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, load_assignment: {}}",
     "load_assignment: a cluster of type ORIGINAL_DST has no load_assignment",
     "{type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, original_dst_lb_config: {use_http_header: true}}"},
    {"XDS-V073", fake::kCds,
     "{type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, original_dst_lb_config: {http_header_name: h}}",
     "original_dst_lb_config: http_header_name needs use_http_header",
     "{type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, "
     "original_dst_lb_config: {http_header_name: h, use_http_header: true}}"},
    {"XDS-V074", fake::kCds, "lb_policy: CLUSTER_PROVIDED",
     "lb_policy: CLUSTER_PROVIDED is for types of clusters that balance load themselves", kAggregate},
    {"XDS-V074", fake::kCds, R"(
cluster_type:
  name: t
  typed_config: {"@type": type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig, clusters: [b]}
)",
     "cluster_type: a cluster of this type balances load itself: its lb_policy is CLUSTER_PROVIDED", R"(
lb_policy: RANDOM
cluster_type: {name: of.somebody.else}
)"},
    {"XDS-V074", fake::kCds, R"(
type: ORIGINAL_DST
lb_policy: CLUSTER_PROVIDED
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin}
)",
     "load_balancing_policy: a cluster of this type balances load itself: its lb_policy is CLUSTER_PROVIDED", R"(
type: ORIGINAL_DST
lb_policy: CLUSTER_PROVIDED
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided}
)"},
    {"XDS-V075", fake::kCds, "lb_policy: LOAD_BALANCING_POLICY_CONFIG",
     "lb_policy: LOAD_BALANCING_POLICY_CONFIG needs a load_balancing_policy", kRoundRobin},
    {"XDS-V075", fake::kCds, "{load_balancing_policy: {}, lb_subset_config: {}}",
     "lb_subset_config: load_balancing_policy leaves no room for lb_subset_config", "lb_subset_config: {}"},
    {"XDS-V075", fake::kCds, "{load_balancing_policy: {}, common_lb_config: {zone_aware_lb_config: {}}}",
     "common_lb_config.zone_aware_lb_config: load_balancing_policy leaves no room for zone_aware_lb_config: it belongs "
     "into the policy",
     "common_lb_config: {zone_aware_lb_config: {}}"},
    {"XDS-V075", fake::kCds, "{lb_policy: CLUSTER_PROVIDED, lb_subset_config: {}}",
     "lb_subset_config: CLUSTER_PROVIDED leaves no room for lb_subset_config",
     "{lb_policy: RANDOM, lb_subset_config: {}}"},
    {"XDS-V075", fake::kCds, "load_balancing_policy: {}", "load_balancing_policy.policies: has no policy", kRoundRobin},
    {"XDS-V075", fake::kCds, R"(
load_balancing_policy:
  policies:
  - {}
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/xds.type.v3.TypedStruct, type_url: x/own.Policy}
)",
     "load_balancing_policy.policies: has no policy of a known type", R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/xds.type.v3.TypedStruct, type_url: x/own.Policy}
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.random.v3.Random}
)"},
    {"XDS-V076", fake::kCds, "lb_subset_config: {locality_weight_aware: true}",
     "lb_subset_config.locality_weight_aware: locality_weight_aware needs a locality_weighted_lb_config in "
     "common_lb_config",
     "{lb_subset_config: {locality_weight_aware: true}, common_lb_config: {locality_weighted_lb_config: {}}}"},
    {"XDS-V077", fake::kCds, "{lb_policy: MAGLEV, maglev_lb_config: {table_size: 100}}",
     "maglev_lb_config.table_size: 100 is no prime number, as the table_size of maglev must be",
     "{lb_policy: MAGLEV, maglev_lb_config: {table_size: 101}}"},
    {"XDS-V077", fake::kCds, "{lb_policy: MAGLEV, maglev_lb_config: {table_size: 10201}}",
     "maglev_lb_config.table_size: 10201 is no prime number, as the table_size of maglev must be",
     "{lb_policy: MAGLEV, maglev_lb_config: {table_size: 3}}"},
    {"XDS-V077", fake::kCds,
     "{lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 2, maximum_ring_size: 1}}",
     "ring_hash_lb_config.maximum_ring_size: minimum_ring_size is 2, and maximum_ring_size is 1",
     "{lb_policy: RING_HASH, ring_hash_lb_config: {minimum_ring_size: 1, maximum_ring_size: 1}}"},
    {"XDS-V077", fake::kCds, "{lb_policy: RING_HASH, ring_hash_lb_config: {maximum_ring_size: 512}}",
     "ring_hash_lb_config.maximum_ring_size: minimum_ring_size is 1024 by default, and maximum_ring_size is 512",
     "ring_hash_lb_config: {maximum_ring_size: 512}"},
    {"XDS-V077", fake::kCds, R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.maglev.v3.Maglev
        table_size: 65536
)",
     "load_balancing_policy.policies[0].typed_extension_config.typed_config.table_size: 65536 is no prime number, as "
     "the table_size of maglev must be",
     R"(
lb_policy: MAGLEV
maglev_lb_config: {table_size: 100}
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash
        minimum_ring_size: 16
        maximum_ring_size: 16
)"},
    {"XDS-V077", fake::kCds, R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash
        minimum_ring_size: 8388609
)",
     "load_balancing_policy.policies[0].typed_extension_config.typed_config.minimum_ring_size: minimum_ring_size is "
     "8388609, and maximum_ring_size is 8388608 by default",
     kRoundRobin},
    {"XDS-V081", fake::kCds, "health_checks: [{name: a}, {}]",
     "health_checks[1]: each of several health checks needs a name", "health_checks: [{}]"},
    {"XDS-V081", fake::kCds, "health_checks: [{name: a}, {name: a}]",
     "health_checks[1]: \"a\" is the name of another health check too", "health_checks: [{name: a}, {name: b}]"},
    {"XDS-V085", fake::kCds, R"(
name: b
cluster_type:
  name: t
  typed_config: {"@type": type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig, clusters: [a, b]}
)",
     "cluster_type.typed_config.clusters[1]: aggregate cluster \"b\" contains itself", kAggregate},
    {"XDS-V086", fake::kCds, "transport_socket_matches: [{name: a, match: {x: 1}}, {name: a, match: {x: 2}}]",
     "transport_socket_matches[1]: \"a\" is the name of another match too",
     "transport_socket_matches: [{name: a, match: {x: 1}}, {name: b, match: {x: 2}}]"},
    {"XDS-V086", fake::kCds, "transport_socket_matches: [{name: a, match: {x: 1}}, {name: b}, {name: c, match: {}}]",
     "transport_socket_matches[2]: \"c\" matches what transport_socket_matches[1] does, and never counts",
     "transport_socket_matches: [{name: a, match: {x: 1}}, {name: b, match: {x: 1, y: 1}}, {name: c}]"},
    {"XDS-V086", fake::kCds, "circuit_breakers: {thresholds: [{}, {priority: HIGH}, {priority: DEFAULT}]}",
     "circuit_breakers.thresholds[2]: priority DEFAULT has thresholds already, and the first ones count",
     "circuit_breakers: {thresholds: [{}, {priority: HIGH}], per_host_thresholds: [{}]}"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(ClusterChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

TEST_F(ClusterChecksTest, WhatEnvoyTakesIsAWarning) {
  EXPECT_THAT(Severities("XDS-V070", "{type: EDS, eds_cluster_config: {eds_config: {ads: {}}}, load_assignment: {}}"),
              ElementsAre(finding::Severity::kWarning));
  EXPECT_THAT(Severities("XDS-V081", "health_checks: [{name: a}, {name: a}]"),
              ElementsAre(finding::Severity::kWarning));
  EXPECT_THAT(Severities("XDS-V081", "health_checks: [{name: a}, {}]"), ElementsAre(finding::Severity::kError));
}

// One mistake, one finding.
TEST_F(ClusterChecksTest, AnotherRuleDoesNotRepeatAFinding) {
  EXPECT_THAT(Findings("XDS-V074", fake::kCds, "type: ORIGINAL_DST"), IsEmpty());
  EXPECT_THAT(Findings("XDS-V074", fake::kCds, "{lb_policy: CLUSTER_PROVIDED, load_balancing_policy: {}}"), IsEmpty());
}

}  // namespace
}  // namespace xdscope::rules
