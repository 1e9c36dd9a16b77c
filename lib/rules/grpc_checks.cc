// What gRPC refuses or passes over, and Envoy takes. TLS is in grpc_tls_checks.cc.
// [reference/validation.md 2.7]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/rules/check.h"
#include "lib/rules/grpc.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kManager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr std::string_view kUpstreamTls = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr std::string_view kDownstreamTls = "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext";

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Tells whether a ConfigSource is the stream itself.
bool IsThisStream(const std::optional<View>& source) {
  return source && (Has(*source, "ads") || Has(*source, "self"));
}

// ---- Listeners. [XDS-V110, V111]

void CheckServerAddress(const Visited& at, const View& address, Context& context) {
  const std::optional<View> socket = MessageIn(address, "socket_address");
  constexpr std::uint64_t kUdp = 1;
  if (!socket) {
    context.Add("XDS-V110", At(at, "address"), "a server of gRPC listens on a socket_address");
  } else if (NumberIn(*socket, "protocol").value_or(0) == kUdp) {
    context.Add("XDS-V110", At(at, "address"), "a server of gRPC listens on TCP");
  }
}

void CheckListener(const Visited& at, Context& context) {
  if (const std::optional<View> api = MessageIn(at.message, "api_listener")) {
    const std::optional<View> config = MessageIn(*api, "api_listener");
    if (config && TypeInAny(*config, context.types) == kManager) return;
    context.Add("XDS-V110", At(at, "api_listener"), "the api_listener of gRPC holds an HttpConnectionManager");
    return;
  }
  if (const std::optional<View> address = MessageIn(at.message, "address")) {
    CheckServerAddress(at, *address, context);
  } else {
    context.Add("XDS-V110", {at}, "has neither an api_listener, as clients need it, nor an address, as servers do");
  }
  if (IsOn(at.message, "use_original_dst")) {
    context.Add("XDS-V110", At(at, "use_original_dst"), "gRPC does not support use_original_dst");
  }
}

bool IsSocket(const View& holder, std::span<const std::string_view> types, Context& context) {
  const std::optional<View> socket = MessageIn(holder, "transport_socket");
  return !socket || Contains(types, TypeOfExtension(*socket, context.types));
}

void CheckChain(const Visited& at, Context& context) {
  constexpr std::array kTypes = {kDownstreamTls};
  const std::vector<View> filters = MessagesIn(at.message, "filters");
  if (filters.size() != 1 || TypeOfExtension(filters[0], context.types) != kManager) {
    context.Add("XDS-V110", At(at, "filters"), "a filter chain of gRPC has one filter, an HttpConnectionManager");
  }
  if (!IsSocket(at.message, kTypes, context)) {
    context.Add("XDS-V116", At(at, "transport_socket"),
                "the transport_socket of a server of gRPC is a DownstreamTlsContext");
  }
}

void CheckManager(const Visited& at, Context& context) {
  if (NumberIn(at.message, "xff_num_trusted_hops").value_or(0) != 0) {
    context.Add("XDS-V111", At(at, "xff_num_trusted_hops"), "gRPC trusts no hops: xff_num_trusted_hops is 0");
  }
  constexpr std::array<std::string_view, 1> kRefused = {"original_ip_detection_extensions"};
  RefuseForGrpc(at, "XDS-V111", kRefused, context);
  if (Has(at.message, "route_config")) return;
  const std::optional<View> rds = MessageIn(at.message, "rds");
  if (!rds) {
    context.Add("XDS-V111", {at}, "has neither route_config nor rds");
  } else if (!IsThisStream(MessageIn(*rds, "config_source"))) {
    context.Add("XDS-V111", At(at, "rds"), "the config_source of gRPC is ads or self");
  }
}

// ---- HTTP filters. [XDS-V112]

constexpr std::string_view kFilters = "envoy.extensions.filters.http.";
constexpr std::string_view kRouter = "envoy.extensions.filters.http.router.v3.Router";
// Those of gRPC, and those that some versions have.
constexpr std::string_view kHttpFilters[] = {
    "composite.v3.Composite",
    "ext_authz.v3.ExtAuthz",
    "ext_proc.v3.ExternalProcessor",
    "fault.v3.HTTPFault",
    "gcp_authn.v3.GcpAuthnFilterConfig",
    "rbac.v3.RBAC",
    "router.v3.Router",
    "stateful_session.v3.StatefulSession",
};
constexpr std::string_view kOverrides[] = {
    "composite.v3.CompositePerRoute", "ext_authz.v3.ExtAuthzPerRoute",
    "ext_proc.v3.ExtProcPerRoute",    "fault.v3.HTTPFault",
    "rbac.v3.RBACPerRoute",           "stateful_session.v3.StatefulSessionPerRoute",
};

bool IsFilterOf(std::span<const std::string_view> names, std::string_view type) {
  return type.starts_with(kFilters) && Contains(names, type.substr(kFilters.size()));
}

void CheckHttpFilters(const Visited& at, Context& context) {
  std::size_t index = 0;
  for (const View& filter : MessagesIn(at.message, "http_filters")) {
    const std::string_view type = TypeOfExtension(filter, context.types);
    const Place place = At(at, "http_filters", index++);
    if (IsOn(filter, "is_optional") || IsFilterOf(kHttpFilters, type)) continue;
    const std::string_view name = filter.GetText("name");
    context.Add("XDS-V112", place,
                type.empty() ? fmt::format("\"{}\" has no typed_config", name)
                             : fmt::format("gRPC has no HTTP filter {}, and \"{}\" is not optional", type, name));
  }
}

// Returns the type of the configuration of a filter, where a FilterConfig around it is looked through; empty where the
// filter is optional.
std::string_view TypeOfOverride(const View& any, wire::Types& types) {
  const std::string_view type = TypeInAny(any, types);
  if (type != "envoy.config.route.v3.FilterConfig") return type;
  const absl::StatusOr<wire::Message> opened = wire::Open(any, types);
  if (!opened.ok() || opened->owns() || IsOn(opened->view(), "is_optional")) return {};
  const std::optional<View> config = MessageIn(opened->view(), "config");
  return config ? TypeInAny(*config, types) : std::string_view();
}

void CheckOverrides(const Visited& at, Context& context) {
  for (const wire::Present& present : at.fields->known()) {
    if (present.field->name != "typed_per_filter_config") continue;
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      const std::string_view type = TypeOfOverride(entry.value.AsMessage(), context.types);
      if (type.empty() || IsFilterOf(kOverrides, type)) continue;
      context.Add("XDS-V112", {at, present.field, std::nullopt, &entry.key},
                  type == kRouter ? "the router has no configuration of its own for a route"
                                  : fmt::format("gRPC has no HTTP filter {}", type));
    }
  }
}

// ---- Routes. [XDS-V113, V115]

// Tells whether a path can be the one of a method: "/service/method".
bool IsMethod(std::string_view path) {
  if (!path.starts_with('/')) return false;
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < path.size() &&
         path.find('/', slash + 1) == std::string_view::npos;
}

// Tells whether a prefix can be the one of methods: "", "/", "/serv", "/service/", "/service/meth".
bool IsMethodPrefix(std::string_view prefix) {
  if (prefix.empty()) return true;
  if (!prefix.starts_with('/')) return false;
  prefix.remove_prefix(1);
  const std::size_t slash = prefix.find('/');
  return slash == std::string_view::npos || (slash > 0 && prefix.find('/', slash + 1) == std::string_view::npos);
}

constexpr std::string_view kOtherPaths[] = {"connect_matcher", "path_separated_prefix", "path_match_policy"};

void CheckMatch(const Visited& at, const View& match, Context& context) {
  const auto add = [&](std::string_view field, std::string message) {
    finding::Finding* const finding = context.Add("XDS-V113", At(at, "match"), std::move(message));
    if (finding != nullptr) finding->path.AddField(field);
    return finding;
  };
  if (!MessagesIn(match, "query_parameters").empty()) {
    add("query_parameters", "gRPC passes over a route that matches by query_parameters");
  }
  if (Has(match, "path") && !IsMethod(match.GetText("path"))) {
    add("path", fmt::format("\"{}\" is the path of no method: gRPC passes over the route", match.GetText("path")));
  }
  if (Has(match, "prefix") && !IsMethodPrefix(match.GetText("prefix"))) {
    add("prefix",
        fmt::format("\"{}\" begins the path of no method: gRPC passes over the route", match.GetText("prefix")));
  }
  for (const std::string_view field : kOtherPaths) {
    if (!Has(match, field)) continue;
    finding::Finding* const finding = add(field, fmt::format("gRPC does not match by {}", field));
    if (finding != nullptr) finding->severity = finding::Severity::kError;
  }
}

void CheckRoute(const Visited& at, Context& context) {
  if (const std::optional<View> match = MessageIn(at.message, "match")) CheckMatch(at, *match, context);
  const std::optional<View> action = MessageIn(at.message, "route");
  if (!action || !Has(*action, "cluster_header")) return;
  finding::Finding* const finding =
      context.Add("XDS-V113", At(at, "route"), "gRPC passes over a route that takes its cluster from a header");
  if (finding != nullptr) finding->path.AddField("cluster_header");
}

void CheckRetries(const Visited& at, Context& context) {
  if (NumberIn(at.message, "num_retries") != 0U) return;
  context.Add("XDS-V115", At(at, "num_retries"), "gRPC retries once at least, or has no retry policy");
}

// ---- Clusters. [XDS-V114]

// Of Cluster.DiscoveryType and Cluster.LbPolicy.
constexpr std::uint64_t kLogicalDns = 2;
constexpr std::uint64_t kEds = 3;
constexpr std::uint64_t kRoundRobin = 0;
constexpr std::uint64_t kRingHash = 2;

void CheckEds(const Visited& at, Context& context) {
  const std::optional<View> config = MessageIn(at.message, "eds_cluster_config");
  if (!config) return;  // that is XDS-V070
  if (!IsThisStream(MessageIn(*config, "eds_config"))) {
    finding::Finding* const finding =
        context.Add("XDS-V114", At(at, "eds_cluster_config"), "the eds_config of gRPC is ads or self");
    if (finding != nullptr) finding->path.AddField("eds_config");
  }
  if (at.message.GetText("name").starts_with("xdstp:") && config->GetText("service_name").empty()) {
    context.Add("XDS-V114", At(at, "eds_cluster_config"), "a cluster with an xdstp name needs a service_name");
  }
}

void CheckSource(const Visited& at, Context& context) {
  const std::uint64_t type = NumberIn(at.message, "type").value_or(0);
  if (const std::optional<View> custom = MessageIn(at.message, "cluster_type")) {
    if (TypeOfExtension(*custom, context.types) != "envoy.extensions.clusters.aggregate.v3.ClusterConfig") {
      context.Add("XDS-V114", At(at, "cluster_type"), "gRPC has no custom clusters but aggregate ones");
    }
  } else if (type == kEds) {
    CheckEds(at, context);
  } else if (type != kLogicalDns) {
    context.Add("XDS-V114", Has(at.message, "type") ? At(at, "type") : Place{at},
                "a cluster of gRPC is of type EDS or LOGICAL_DNS, or an aggregate");
  }
}

void CheckCluster(const Visited& at, Context& context) {
  constexpr std::array<std::string_view, 2> kSockets = {
      kUpstreamTls, "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"};
  CheckSource(at, context);
  if (const std::optional<View> lrs = MessageIn(at.message, "lrs_server"); lrs && !Has(*lrs, "self")) {
    context.Add("XDS-V114", At(at, "lrs_server"), "the lrs_server of gRPC is self");
  }
  const std::uint64_t policy = NumberIn(at.message, "lb_policy").value_or(0);
  if (!Has(at.message, "load_balancing_policy") && policy != kRoundRobin && policy != kRingHash) {
    context.Add("XDS-V114", At(at, "lb_policy"), "gRPC balances by ROUND_ROBIN, RING_HASH or a load_balancing_policy");
  }
  if (!IsSocket(at.message, kSockets, context)) {
    context.Add("XDS-V116", At(at, "transport_socket"),
                "the transport_socket of a client of gRPC is an UpstreamTlsContext");
  }
}

constexpr std::string_view kPolicies[] = {
    "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
    "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst",
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
    "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
    "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
};

// A TypedStruct may be a policy that somebody has added to his program.
bool MayBePolicy(const View& policy, wire::Types& types) {
  const std::optional<View> extension = MessageIn(policy, "typed_extension_config");
  const std::optional<View> config = extension ? MessageIn(*extension, "typed_config") : std::nullopt;
  if (!config) return false;
  const wire::Type* const type = types.Find(config->GetText("type_url"));
  return type != nullptr &&
         (type->well_known() == wire::WellKnown::kTypedStruct || Contains(kPolicies, type->full_name()));
}

void CheckPolicies(const Visited& at, Context& context) {
  constexpr int kDeepest = 16;
  int depth = 0;
  for (const Visited* above = at.above; above != nullptr; above = above->above) {
    if (&above->message.type() == &at.message.type()) ++depth;
  }
  if (depth == kDeepest) context.Add("XDS-V114", {at}, fmt::format("is nested in {} others, too deep for gRPC", depth));
  const std::vector<View> policies = MessagesIn(at.message, "policies");
  const bool some = std::any_of(policies.begin(), policies.end(),
                                [&](const View& policy) { return MayBePolicy(policy, context.types); });
  if (!some) context.Add("XDS-V114", At(at, "policies"), "has no policy that gRPC has");
}

// ---- Matchers. [XDS-V117]

void CheckMatcher(const Visited& at, Context& context) {
  if (!Has(at.message, "safe_regex") || !IsOn(at.message, "ignore_case")) return;
  context.Add("XDS-V117", At(at, "ignore_case"), "gRPC does not ignore the case of a safe_regex: \"(?i)\" in it does");
}

// ---- The table.

constexpr std::string_view kListeners[] = {"envoy.config.listener.v3.Listener"};
constexpr std::string_view kChains[] = {"envoy.config.listener.v3.FilterChain"};
constexpr std::string_view kManagers[] = {kManager};
constexpr std::string_view kOverriders[] = {"envoy.config.route.v3.Route", "envoy.config.route.v3.VirtualHost",
                                            "envoy.config.route.v3.WeightedCluster.ClusterWeight"};
constexpr std::string_view kRoutes[] = {"envoy.config.route.v3.Route"};
constexpr std::string_view kRetries[] = {"envoy.config.route.v3.RetryPolicy"};
constexpr std::string_view kClusters[] = {"envoy.config.cluster.v3.Cluster"};
constexpr std::string_view kBalancing[] = {"envoy.config.cluster.v3.LoadBalancingPolicy"};
constexpr std::string_view kMatchers[] = {"envoy.type.matcher.v3.StringMatcher", "xds.type.matcher.v3.StringMatcher"};

constexpr std::string_view kListenerReads[] = {
    "envoy.config.listener.v3.ApiListener.api_listener",     "envoy.config.listener.v3.FilterChain.filters",
    "envoy.config.listener.v3.FilterChain.transport_socket", "envoy.config.listener.v3.Listener.address",
    "envoy.config.listener.v3.Listener.api_listener",        "envoy.config.listener.v3.Listener.use_original_dst",
};
constexpr std::string_view kManagerReads[] = {
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.http_filters",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.rds",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.route_config",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.xff_num_trusted_hops",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.is_optional",
    "envoy.extensions.filters.network.http_connection_manager.v3.Rds.config_source",
};
constexpr std::string_view kOverrideReads[] = {
    "envoy.config.route.v3.FilterConfig.config",
    "envoy.config.route.v3.FilterConfig.is_optional",
    "envoy.config.route.v3.Route.typed_per_filter_config",
};
constexpr std::string_view kRouteReads[] = {
    "envoy.config.route.v3.Route.match",
    "envoy.config.route.v3.Route.route",
    "envoy.config.route.v3.RouteAction.cluster_header",
    "envoy.config.route.v3.RouteMatch.path",
    "envoy.config.route.v3.RouteMatch.prefix",
    "envoy.config.route.v3.RouteMatch.query_parameters",
};
constexpr std::string_view kRetryReads[] = {"envoy.config.route.v3.RetryPolicy.num_retries"};
constexpr std::string_view kClusterReads[] = {
    "envoy.config.cluster.v3.Cluster.cluster_type",
    "envoy.config.cluster.v3.Cluster.eds_cluster_config",
    "envoy.config.cluster.v3.Cluster.lb_policy",
    "envoy.config.cluster.v3.Cluster.load_balancing_policy",
    "envoy.config.cluster.v3.Cluster.lrs_server",
    "envoy.config.cluster.v3.Cluster.transport_socket",
    "envoy.config.cluster.v3.Cluster.type",
    "envoy.config.cluster.v3.Cluster.EdsClusterConfig.eds_config",
    "envoy.config.cluster.v3.Cluster.EdsClusterConfig.service_name",
};
constexpr std::string_view kBalancingReads[] = {
    "envoy.config.cluster.v3.LoadBalancingPolicy.policies",
    "envoy.config.cluster.v3.LoadBalancingPolicy.Policy.typed_extension_config",
};
constexpr std::string_view kMatcherReads[] = {
    "envoy.type.matcher.v3.StringMatcher.ignore_case",
    "envoy.type.matcher.v3.StringMatcher.safe_regex",
};

constexpr std::array kChecks = {
    Check{"XDS-V110", kListeners, kListenerReads, CheckListener},
    Check{"XDS-V110", kChains, kListenerReads, CheckChain},
    Check{"XDS-V111", kManagers, kManagerReads, CheckManager},
    Check{"XDS-V112", kManagers, kManagerReads, CheckHttpFilters},
    Check{"XDS-V112", kOverriders, kOverrideReads, CheckOverrides},
    Check{"XDS-V113", kRoutes, kRouteReads, CheckRoute},
    Check{"XDS-V114", kClusters, kClusterReads, CheckCluster},
    Check{"XDS-V114", kBalancing, kBalancingReads, CheckPolicies},
    Check{"XDS-V115", kRetries, kRetryReads, CheckRetries},
    Check{"XDS-V117", kMatchers, kMatcherReads, CheckMatcher},
};

}  // namespace

std::span<const Check> GrpcChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
