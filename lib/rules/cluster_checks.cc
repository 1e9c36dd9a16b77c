// Clusters: where their endpoints come from, how load is balanced among them, and their health checks.
// [reference/validation.md 2.4 XDS-V070 to V077, V081, V085, V086; 2.10]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// Where a cluster has its endpoints from, as far as the rules tell it.
enum class Source : std::uint8_t {
  kStatic,
  kStrictDns,
  kLogicalDns,
  kEds,
  kOriginalDst,
  kProvider,  // a custom type that balances load itself
  kOther,     // another custom type
};

// In the order of Cluster.DiscoveryType.
constexpr std::array kSources = {Source::kStatic, Source::kStrictDns, Source::kLogicalDns, Source::kEds,
                                 Source::kOriginalDst};

constexpr std::string_view kDnsCluster = "envoy.extensions.clusters.dns.v3.DnsCluster";
constexpr std::string_view kProviders[] = {
    "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
    "envoy.extensions.clusters.composite.v3.ClusterConfig",
    "envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig",
    "envoy.extensions.clusters.dynamic_modules.v3.ClusterConfig",
    "envoy.extensions.clusters.mcp_multicluster.v3.ClusterConfig",
    "envoy.extensions.clusters.original_dst.v3.OriginalDstCluster",
    "envoy.extensions.clusters.redis.v3.RedisClusterConfig",
    "envoy.extensions.clusters.reverse_connection.v3.RevConClusterConfig",
    "envoy.extensions.clusters.reverse_connection.v3.ReverseConnectionClusterConfig",
};

// Of Cluster.LbPolicy.
constexpr std::uint64_t kRingHash = 2;
constexpr std::uint64_t kMaglev = 5;
constexpr std::uint64_t kClusterProvided = 6;
constexpr std::uint64_t kPolicyConfig = 7;

constexpr std::string_view kProvidedPolicy =
    "envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided";

Source SourceOfCustom(const View& custom, wire::Types& types) {
  const std::optional<View> config = MessageIn(custom, "typed_config");
  if (!config) return Source::kOther;
  const std::string_view type = TypeInAny(*config, types);
  if (std::find(std::begin(kProviders), std::end(kProviders), type) != std::end(kProviders)) return Source::kProvider;
  if (type != kDnsCluster) return Source::kOther;
  const absl::StatusOr<wire::Message> dns = wire::Open(*config, types);
  const bool logical = dns.ok() && IsOn(dns->view(), "all_addresses_in_single_endpoint");
  return logical ? Source::kLogicalDns : Source::kStrictDns;
}

Source SourceOf(const View& cluster, wire::Types& types) {
  if (const std::optional<View> custom = MessageIn(cluster, "cluster_type")) return SourceOfCustom(*custom, types);
  const std::uint64_t type = NumberIn(cluster, "type").value_or(0);
  return type < kSources.size() ? kSources[type] : Source::kOther;
}

// ---- Where endpoints come from. [XDS-V070, V071, V073, V085]

// Tells whether a name has its own authority, which may say where the resource is.
bool IsXdstp(std::string_view name) {
  return name.starts_with("xdstp:");
}

void CheckEds(const Visited& at, Context& context) {
  const bool eds = SourceOf(at.message, context.types) == Source::kEds;
  const std::optional<View> config = MessageIn(at.message, "eds_cluster_config");
  if (!eds) {
    if (config) {
      context.Add("XDS-V070", At(at, "eds_cluster_config"), "eds_cluster_config is for clusters of type EDS");
    }
    return;
  }
  if (!config) {
    context.Add("XDS-V070", At(at, "type"), "a cluster of type EDS needs an eds_cluster_config");
  } else if (!Has(*config, "eds_config") && !IsXdstp(config->GetText("service_name"))) {
    context.Add("XDS-V070", At(at, "eds_cluster_config"), "does not say by eds_config where endpoints come from");
  }
  if (Has(at.message, "load_assignment")) {
    finding::Finding* const finding =
        context.Add("XDS-V070", At(at, "load_assignment"), "a cluster of type EDS ignores its load_assignment");
    if (finding != nullptr) finding->severity = finding::Severity::kWarning;
  }
}

// Returns the custom resolver that an endpoint names; empty where it names none.
std::string_view ResolverOf(const View& lb_endpoint) {
  const std::optional<View> endpoint = MessageIn(lb_endpoint, "endpoint");
  const std::optional<View> address = endpoint ? MessageIn(*endpoint, "address") : std::nullopt;
  const std::optional<View> socket = address ? MessageIn(*address, "socket_address") : std::nullopt;
  return socket ? socket->GetText("resolver_name") : std::string_view();
}

void CheckResolvers(const Visited& at, const std::vector<View>& localities, Context& context) {
  for (std::size_t i = 0; i < localities.size(); ++i) {
    std::size_t j = 0;
    for (const View& lb_endpoint : MessagesIn(localities[i], "lb_endpoints")) {
      const std::string_view resolver = ResolverOf(lb_endpoint);
      const std::size_t index = j++;
      if (resolver.empty()) continue;
      finding::Finding* const finding =
          context.Add("XDS-V071", At(at, "load_assignment"),
                      fmt::format("a DNS cluster has no resolver of its own, and not \"{}\"", resolver));
      if (finding == nullptr) continue;
      finding->path.AddField("endpoints").AddIndex(i).AddField("lb_endpoints").AddIndex(index).AddField("endpoint");
      finding->path.AddField("address").AddField("socket_address").AddField("resolver_name");
    }
  }
}

void CheckDns(const Visited& at, Context& context) {
  const Source source = SourceOf(at.message, context.types);
  if (source != Source::kStrictDns && source != Source::kLogicalDns) return;
  const std::optional<View> assignment = MessageIn(at.message, "load_assignment");
  const std::vector<View> localities = assignment ? MessagesIn(*assignment, "endpoints") : std::vector<View>();
  CheckResolvers(at, localities, context);
  if (source != Source::kLogicalDns) return;
  if (!assignment) {
    context.Add("XDS-V071", {at}, "a LOGICAL_DNS cluster has one endpoint, and this one has no load_assignment");
    return;
  }
  std::size_t endpoints = 0;
  for (const View& locality : localities) endpoints += MessagesIn(locality, "lb_endpoints").size();
  if (localities.size() == 1 && endpoints == 1) return;
  context.Add("XDS-V071", At(at, "load_assignment"),
              fmt::format("a LOGICAL_DNS cluster has one locality with one endpoint, and not {} with {}",
                          localities.size(), endpoints));
}

void CheckOriginalDst(const Visited& at, Context& context) {
  if (SourceOf(at.message, context.types) != Source::kOriginalDst) return;
  if (const std::optional<wire::Value> policy = at.message.Get("lb_policy");
      NumberIn(at.message, "lb_policy").value_or(0) != kClusterProvided) {
    const std::string_view name = policy ? policy->field->EnumName(static_cast<std::int32_t>(policy->AsInt())) : "";
    context.Add("XDS-V073", At(at, policy ? "lb_policy" : "type"),
                fmt::format("the lb_policy of a cluster of type ORIGINAL_DST is CLUSTER_PROVIDED, and not {}",
                            name.empty() ? "ROUND_ROBIN" : name));
  }
  if (Has(at.message, "load_assignment")) {
    context.Add("XDS-V073", At(at, "load_assignment"), "a cluster of type ORIGINAL_DST has no load_assignment");
  }
  const std::optional<View> original = MessageIn(at.message, "original_dst_lb_config");
  if (original && !original->GetText("http_header_name").empty() && !IsOn(*original, "use_http_header")) {
    context.Add("XDS-V073", At(at, "original_dst_lb_config"), "http_header_name needs use_http_header");
  }
}

void CheckAggregate(const Visited& at, Context& context) {
  const Visited* cluster = &at;
  while (cluster != nullptr && cluster->message.type().full_name() != "envoy.config.cluster.v3.Cluster") {
    cluster = cluster->above;
  }
  if (cluster == nullptr) return;
  const std::string_view own = cluster->message.GetText("name");
  std::size_t index = 0;
  for (const std::string_view name : TextsIn(at.message, "clusters")) {
    if (name == own) {
      context.Add("XDS-V085", At(at, "clusters", index), fmt::format("aggregate cluster \"{}\" contains itself", own));
    }
    ++index;
  }
}

// ---- Load balancing. [XDS-V074 to V077]

bool IsKnown(std::string_view type, wire::Types& types) {
  return !type.empty() && types.Find(type) != nullptr;
}

// Returns the type of the policy that Envoy takes from the list: the first one that it knows. Empty: none.
std::string_view ChosenPolicy(const View& policy, wire::Types& types) {
  for (const View& entry : MessagesIn(policy, "policies")) {
    const std::optional<View> extension = MessageIn(entry, "typed_extension_config");
    const std::string_view type = extension ? TypeOfExtension(*extension, types) : std::string_view();
    if (IsKnown(type, types)) return type;
  }
  return {};
}

void CheckProvided(const Visited& at, Context& context) {
  const Source source = SourceOf(at.message, context.types);
  if (source == Source::kOther) return;
  const std::optional<View> policy = MessageIn(at.message, "load_balancing_policy");
  const bool by_enum = NumberIn(at.message, "lb_policy").value_or(0) == kClusterProvided;
  if (source == Source::kOriginalDst && !by_enum) return;  // that is XDS-V073
  const std::string_view chosen = policy ? ChosenPolicy(*policy, context.types) : std::string_view();
  if (policy && chosen.empty()) return;  // that is XDS-V075
  const bool provided = policy ? chosen == kProvidedPolicy : by_enum;
  const bool provides = source == Source::kProvider || source == Source::kOriginalDst;
  if (provided == provides) return;
  const std::string_view field = policy                         ? "load_balancing_policy"
                                 : Has(at.message, "lb_policy") ? "lb_policy"
                                                                : "cluster_type";
  context.Add("XDS-V074", At(at, field),
              provides ? "a cluster of this type balances load itself: its lb_policy is CLUSTER_PROVIDED"
                       : "CLUSTER_PROVIDED is for types of clusters that balance load themselves");
}

constexpr std::string_view kPartialFields[] = {"zone_aware_lb_config", "locality_weighted_lb_config",
                                               "consistent_hashing_lb_config"};

void CheckPolicyFields(const Visited& at, Context& context) {
  const std::uint64_t by_enum = NumberIn(at.message, "lb_policy").value_or(0);
  const bool subset = Has(at.message, "lb_subset_config");
  const std::optional<View> common = MessageIn(at.message, "common_lb_config");
  if (Has(at.message, "load_balancing_policy")) {
    if (subset) {
      context.Add("XDS-V075", At(at, "lb_subset_config"), "load_balancing_policy leaves no room for lb_subset_config");
    }
    for (const std::string_view field : kPartialFields) {
      if (!common || !Has(*common, field)) continue;
      finding::Finding* const finding =
          context.Add("XDS-V075", At(at, "common_lb_config"),
                      fmt::format("load_balancing_policy leaves no room for {}: it belongs into the policy", field));
      if (finding != nullptr) finding->path.AddField(field);
    }
  } else if (by_enum == kPolicyConfig) {
    context.Add("XDS-V075", At(at, "lb_policy"), "LOAD_BALANCING_POLICY_CONFIG needs a load_balancing_policy");
  } else if (by_enum == kClusterProvided && subset) {
    context.Add("XDS-V075", At(at, "lb_subset_config"), "CLUSTER_PROVIDED leaves no room for lb_subset_config");
  }
}

void CheckPolicies(const Visited& at, Context& context) {
  if (!ChosenPolicy(at.message, context.types).empty()) return;
  const bool empty = MessagesIn(at.message, "policies").empty();
  context.Add("XDS-V075", At(at, "policies"), empty ? "has no policy" : "has no policy of a known type");
}

void CheckSubsets(const Visited& at, Context& context) {
  const std::optional<View> subset = MessageIn(at.message, "lb_subset_config");
  if (!subset || !IsOn(*subset, "locality_weight_aware")) return;
  const std::optional<View> common = MessageIn(at.message, "common_lb_config");
  if (common && Has(*common, "locality_weighted_lb_config")) return;
  finding::Finding* const finding =
      context.Add("XDS-V076", At(at, "lb_subset_config"),
                  "locality_weight_aware needs a locality_weighted_lb_config in common_lb_config");
  if (finding != nullptr) finding->path.AddField("locality_weight_aware");
}

// What Envoy takes for prime: it has no opinion about numbers below 4.
bool IsPrime(std::uint64_t number) {
  if (number < 4) return true;
  if (number % 2 == 0) return false;
  for (std::uint64_t factor = 3; factor * factor <= number; factor += 2) {
    if (number % factor == 0) return false;
  }
  return true;
}

// `maglev`: what the place has, or its field `below`.
void CheckTable(const View& maglev, const Place& place, Context& context) {
  constexpr std::uint64_t kMostOfPgv = 5000011;
  const std::optional<std::uint64_t> size = NumberIn(maglev, "table_size");
  if (!size || *size > kMostOfPgv || IsPrime(*size)) return;
  finding::Finding* const finding =
      context.Add("XDS-V077", place, fmt::format("{} is no prime number, as the table_size of maglev must be", *size));
  if (finding != nullptr) finding->path.AddField("table_size");
}

void CheckRing(const View& ring, const Place& place, Context& context) {
  constexpr std::uint64_t kMinimum = 1024;
  constexpr std::uint64_t kMaximum = 8388608;
  const std::optional<std::uint64_t> minimum = NumberIn(ring, "minimum_ring_size");
  const std::optional<std::uint64_t> maximum = NumberIn(ring, "maximum_ring_size");
  if (minimum.value_or(kMinimum) <= maximum.value_or(kMaximum)) return;
  finding::Finding* const finding =
      context.Add("XDS-V077", place,
                  fmt::format("minimum_ring_size is {}{}, and maximum_ring_size is {}{}", minimum.value_or(kMinimum),
                              minimum ? "" : " by default", maximum.value_or(kMaximum), maximum ? "" : " by default"));
  if (finding != nullptr) finding->path.AddField(maximum ? "maximum_ring_size" : "minimum_ring_size");
}

// The configuration of a policy in the cluster, which counts where that policy is chosen.
void CheckHashing(const Visited& at, Context& context) {
  if (Has(at.message, "load_balancing_policy")) return;
  const std::uint64_t policy = NumberIn(at.message, "lb_policy").value_or(0);
  const std::optional<View> maglev = MessageIn(at.message, "maglev_lb_config");
  if (maglev && policy == kMaglev) CheckTable(*maglev, At(at, "maglev_lb_config"), context);
  const std::optional<View> ring = MessageIn(at.message, "ring_hash_lb_config");
  if (ring && policy == kRingHash) CheckRing(*ring, At(at, "ring_hash_lb_config"), context);
}

void CheckMaglev(const Visited& at, Context& context) {
  CheckTable(at.message, {at}, context);
}

void CheckRingHash(const Visited& at, Context& context) {
  CheckRing(at.message, {at}, context);
}

// ---- Health checks, transport sockets, circuit breakers. [XDS-V081, V086]

void CheckHealthChecks(const Visited& at, Context& context) {
  const std::vector<View> checks = MessagesIn(at.message, "health_checks");
  if (checks.size() < 2) return;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::string_view name = checks[i].GetText("name");
    if (name.empty()) {
      context.Add("XDS-V081", At(at, "health_checks", i), "each of several health checks needs a name");
    } else if (!names.insert(name).second) {
      // Envoy 1.40 takes it, its successors do not.
      finding::Finding* const finding = context.Add(
          "XDS-V081", At(at, "health_checks", i), fmt::format("\"{}\" is the name of another health check too", name));
      if (finding != nullptr) finding->severity = finding::Severity::kWarning;
    }
  }
}

void CheckSocketMatches(const Visited& at, Context& context) {
  absl::flat_hash_map<std::uint64_t, std::size_t> matches;  // by what they say
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const View& entry : MessagesIn(at.message, "transport_socket_matches")) {
    const Place place = At(at, "transport_socket_matches", index);
    const std::string_view name = entry.GetText("name");
    if (!names.insert(name).second) {
      context.Add("XDS-V086", place, fmt::format("\"{}\" is the name of another match too", name));
    }
    const std::optional<View> match = MessageIn(entry, "match");
    const auto [first, is_new] =
        matches.emplace(match && !match->empty() ? wire::Digest(*match, context.types) : 0, index);
    if (!is_new) {
      context.Add(
          "XDS-V086", place,
          fmt::format("\"{}\" matches what transport_socket_matches[{}] does, and never counts", name, first->second));
    }
    ++index;
  }
}

void CheckThresholds(const Visited& at, Context& context) {
  for (const std::string_view field : {"thresholds", "per_host_thresholds"}) {
    std::set<std::uint64_t> priorities;
    std::size_t index = 0;
    for (const View& threshold : MessagesIn(at.message, field)) {
      const std::uint64_t priority = NumberIn(threshold, "priority").value_or(0);
      if (!priorities.insert(priority).second) {
        context.Add("XDS-V086", At(at, field, index),
                    fmt::format("priority {} has thresholds already, and the first ones count",
                                priority == 0 ? "DEFAULT" : "HIGH"));
      }
      ++index;
    }
  }
}

// ---- The table.

constexpr std::string_view kCluster[] = {"envoy.config.cluster.v3.Cluster"};
constexpr std::string_view kAggregate[] = {"envoy.extensions.clusters.aggregate.v3.ClusterConfig"};
constexpr std::string_view kPolicy[] = {"envoy.config.cluster.v3.LoadBalancingPolicy"};
constexpr std::string_view kMaglevPolicy[] = {"envoy.extensions.load_balancing_policies.maglev.v3.Maglev"};
constexpr std::string_view kRingPolicy[] = {"envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash"};
constexpr std::string_view kBreakers[] = {"envoy.config.cluster.v3.CircuitBreakers"};

constexpr std::string_view kSourceReads[] = {
    "envoy.config.cluster.v3.Cluster.cluster_type",
    "envoy.config.cluster.v3.Cluster.eds_cluster_config",
    "envoy.config.cluster.v3.Cluster.lb_policy",
    "envoy.config.cluster.v3.Cluster.load_assignment",
    "envoy.config.cluster.v3.Cluster.original_dst_lb_config",
    "envoy.config.cluster.v3.Cluster.type",
    "envoy.config.cluster.v3.Cluster.CustomClusterType.typed_config",
    "envoy.config.cluster.v3.Cluster.EdsClusterConfig.eds_config",
    "envoy.config.cluster.v3.Cluster.EdsClusterConfig.service_name",
    "envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.http_header_name",
    "envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.use_http_header",
    "envoy.config.core.v3.SocketAddress.resolver_name",
    "envoy.config.endpoint.v3.ClusterLoadAssignment.endpoints",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.lb_endpoints",
    "envoy.extensions.clusters.dns.v3.DnsCluster.all_addresses_in_single_endpoint",
};
constexpr std::string_view kAggregateReads[] = {"envoy.extensions.clusters.aggregate.v3.ClusterConfig.clusters"};
constexpr std::string_view kBalancingReads[] = {
    "envoy.config.cluster.v3.Cluster.cluster_type",
    "envoy.config.cluster.v3.Cluster.common_lb_config",
    "envoy.config.cluster.v3.Cluster.lb_policy",
    "envoy.config.cluster.v3.Cluster.lb_subset_config",
    "envoy.config.cluster.v3.Cluster.load_balancing_policy",
    "envoy.config.cluster.v3.Cluster.maglev_lb_config",
    "envoy.config.cluster.v3.Cluster.ring_hash_lb_config",
    "envoy.config.cluster.v3.Cluster.type",
    "envoy.config.cluster.v3.Cluster.CommonLbConfig.locality_weighted_lb_config",
    "envoy.config.cluster.v3.Cluster.LbSubsetConfig.locality_weight_aware",
    "envoy.config.cluster.v3.LoadBalancingPolicy.policies",
    "envoy.config.cluster.v3.LoadBalancingPolicy.Policy.typed_extension_config",
};
constexpr std::string_view kMaglevReads[] = {"envoy.extensions.load_balancing_policies.maglev.v3.Maglev.table_size"};
constexpr std::string_view kRingReads[] = {
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.maximum_ring_size",
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.minimum_ring_size",
};
constexpr std::string_view kHealthReads[] = {
    "envoy.config.cluster.v3.Cluster.health_checks",
    "envoy.config.core.v3.HealthCheck.name",
};
constexpr std::string_view kMatchReads[] = {
    "envoy.config.cluster.v3.Cluster.transport_socket_matches",
    "envoy.config.cluster.v3.Cluster.TransportSocketMatch.match",
    "envoy.config.cluster.v3.Cluster.TransportSocketMatch.name",
};
constexpr std::string_view kBreakerReads[] = {
    "envoy.config.cluster.v3.CircuitBreakers.per_host_thresholds",
    "envoy.config.cluster.v3.CircuitBreakers.thresholds",
    "envoy.config.cluster.v3.CircuitBreakers.Thresholds.priority",
};

constexpr std::array kChecks = {
    Check{"XDS-V070", kCluster, kSourceReads, CheckEds},
    Check{"XDS-V071", kCluster, kSourceReads, CheckDns},
    Check{"XDS-V073", kCluster, kSourceReads, CheckOriginalDst},
    Check{"XDS-V074", kCluster, kBalancingReads, CheckProvided},
    Check{"XDS-V075", kCluster, kBalancingReads, CheckPolicyFields},
    Check{"XDS-V075", kPolicy, kBalancingReads, CheckPolicies},
    Check{"XDS-V076", kCluster, kBalancingReads, CheckSubsets},
    Check{"XDS-V077", kCluster, kBalancingReads, CheckHashing},
    Check{"XDS-V077", kMaglevPolicy, kMaglevReads, CheckMaglev},
    Check{"XDS-V077", kRingPolicy, kRingReads, CheckRingHash},
    Check{"XDS-V081", kCluster, kHealthReads, CheckHealthChecks},
    Check{"XDS-V085", kAggregate, kAggregateReads, CheckAggregate},
    Check{"XDS-V086", kCluster, kMatchReads, CheckSocketMatches},
    Check{"XDS-V086", kBreakers, kBreakerReads, CheckThresholds},
};

}  // namespace

std::span<const Check> ClusterChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
