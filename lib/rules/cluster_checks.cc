// Clusters: where their endpoints come from, their health checks, and entries that hide others.
// [reference/validation.md 2.4 XDS-V070 to V073, V081, V085, V086; 2.10]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "lib/rules/check.h"
#include "lib/rules/cluster_source.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::uint64_t kClusterProvided = 6;  // of Cluster.LbPolicy

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
