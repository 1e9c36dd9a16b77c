#include "lib/resource/reference_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/types/known_types.h"

namespace xdscope::resource {
namespace {

constexpr std::string_view kDiscovered = "config_discovery.config_source";

constexpr ReferenceRow kRows[] = {
    // Route configurations.
    {"envoy.extensions.filters.network.http_connection_manager.v3.Rds", "route_config_name", "rds", "config_source"},
    {"envoy.config.filter.network.http_connection_manager.v2.Rds", "route_config_name", "rds", "config_source"},
    {
        "envoy.config.route.v3.ScopedRouteConfiguration",
        "route_configuration_name",
        "rds",
        "",
    },
    {"envoy.api.v2.ScopedRouteConfiguration", "route_configuration_name", "rds", ""},
    {"envoy.extensions.filters.network.thrift_proxy.v3.Trds", "route_config_name",
     "envoy.extensions.filters.network.thrift_proxy.v3.RouteConfiguration", "config_source"},
    {"envoy.extensions.filters.network.dubbo_proxy.v3.Drds", "route_config_name",
     "envoy.extensions.filters.network.dubbo_proxy.v3.MultipleRouteConfiguration", "config_source"},
    {"envoy.extensions.filters.network.generic_proxy.v3.GenericRds", "route_config_name",
     "envoy.extensions.filters.network.generic_proxy.v3.RouteConfiguration", "config_source"},
    // Scopes and virtual hosts: everything of the type.
    {"envoy.extensions.filters.network.http_connection_manager.v3.ScopedRds", "", "srds", "scoped_rds_config_source"},
    {"envoy.config.filter.network.http_connection_manager.v2.ScopedRds", "", "srds", "scoped_rds_config_source"},
    {"envoy.config.route.v3.Vhds", "", "vhds", "config_source"},
    {"envoy.api.v2.Vhds", "", "vhds", "config_source"},
    // Where the route configurations that scopes name come from.
    {"envoy.extensions.filters.network.http_connection_manager.v3.ScopedRoutes", "", "rds", "rds_config_source", false,
     true},
    {"envoy.config.filter.network.http_connection_manager.v2.ScopedRoutes", "", "rds", "rds_config_source", false,
     true},
    // Endpoints.
    {"envoy.config.cluster.v3.Cluster.EdsClusterConfig", "service_name", "eds", "eds_config", true},
    {"envoy.api.v2.Cluster.EdsClusterConfig", "service_name", "eds", "eds_config", true},
    {"envoy.config.endpoint.v3.LedsClusterLocalityConfig", "leds_collection_name", "leds", "leds_config"},
    // Secrets.
    {"envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig", "name", "sds", "sds_config"},
    {"envoy.api.v2.auth.SdsSecretConfig", "name", "sds", "sds_config"},
    // Extension configurations.
    {"envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter", "name", "ecds", kDiscovered},
    {"envoy.config.listener.v3.Filter", "name", "ecds", kDiscovered},
    {"envoy.config.listener.v3.ListenerFilter", "name", "ecds", kDiscovered},
    {"envoy.config.cluster.v3.Filter", "name", "ecds", kDiscovered},
    {"envoy.extensions.filters.http.composite.v3.DynamicConfig", "name", "ecds", kDiscovered},
    {"envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig.SessionFilter", "name", "ecds", kDiscovered},
    // Filter chains.
    {"envoy.config.listener.v3.Listener.FcdsConfig", "name", "envoy.config.listener.v3.FilterChain", "config_source"},
    // Clusters: of routes …
    {"envoy.config.route.v3.RouteAction", "cluster", "cds", ""},
    {"envoy.config.route.v3.RouteAction.RequestMirrorPolicy", "cluster", "cds", ""},
    {"envoy.config.route.v3.WeightedCluster.ClusterWeight", "name", "cds", ""},
    {"envoy.api.v2.route.RouteAction", "cluster", "cds", ""},
    {"envoy.api.v2.route.RouteAction.RequestMirrorPolicy", "cluster", "cds", ""},
    {"envoy.api.v2.route.WeightedCluster.ClusterWeight", "name", "cds", ""},
    {"envoy.extensions.router.cluster_specifiers.lua.v3.LuaConfig", "default_cluster", "cds", ""},
    {"envoy.extensions.router.cluster_specifiers.priority_group.v3.ClusterWeight", "cluster_name", "cds", ""},
    // … of other clusters …
    {"envoy.extensions.clusters.aggregate.v3.ClusterConfig", "clusters", "cds", ""},
    {"envoy.config.cluster.aggregate.v2alpha.ClusterConfig", "clusters", "cds", ""},
    // … of network filters …
    {"envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight", "name", "cds", ""},
    {"envoy.config.filter.network.tcp_proxy.v2.TcpProxy", "cluster", "cds", ""},
    {"envoy.config.filter.network.tcp_proxy.v2.TcpProxy.WeightedCluster.ClusterWeight", "name", "cds", ""},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route.RequestMirrorPolicy", "cluster",
     "cds", ""},
    {"envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route.ReadCommandPolicy", "cluster",
     "cds", ""},
    {"envoy.config.filter.network.redis_proxy.v2.RedisProxy", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.thrift_proxy.v3.RouteAction", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.thrift_proxy.v3.RouteAction.RequestMirrorPolicy", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.thrift_proxy.v3.WeightedCluster.ClusterWeight", "name", "cds", ""},
    {"envoy.extensions.filters.network.dubbo_proxy.v3.RouteAction", "cluster", "cds", ""},
    {"envoy.extensions.filters.network.generic_proxy.action.v3.RouteAction", "cluster", "cds", ""},
    {"envoy.extensions.filters.udp.udp_proxy.v3.Route", "cluster", "cds", ""},
    {"envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig", "cluster", "cds", ""},
    // … of HTTP filters, tracers, access loggers, and of whatever calls out by gRPC or HTTP.
    {"envoy.config.core.v3.GrpcService.EnvoyGrpc", "cluster_name", "cds", ""},
    {"envoy.config.core.v3.HttpUri", "cluster", "cds", ""},
    {"envoy.api.v2.core.GrpcService.EnvoyGrpc", "cluster_name", "cds", ""},
    {"envoy.api.v2.core.HttpUri", "cluster", "cds", ""},
    {"envoy.config.trace.v3.DatadogConfig", "collector_cluster", "cds", ""},
    {"envoy.config.trace.v3.LightstepConfig", "collector_cluster", "cds", ""},
    {"envoy.config.trace.v3.ZipkinConfig", "collector_cluster", "cds", ""},
    {"envoy.config.trace.v2.ZipkinConfig", "collector_cluster", "cds", ""},
    {"envoy.config.metrics.v3.StatsdSink", "tcp_cluster_name", "cds", ""},
    {"envoy.extensions.access_loggers.fluentd.v3.FluentdAccessLogConfig", "cluster", "cds", ""},
    {"envoy.extensions.tracers.fluentd.v3.FluentdConfig", "cluster", "cds", ""},
    {"envoy.extensions.filters.http.fault.v3.HTTPFault", "upstream_cluster", "cds", ""},
    {"envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig", "cluster", "cds", ""},
    {"envoy.extensions.filters.http.cache_v2.v3.CacheV2Config", "override_upstream_cluster", "cds", ""},
    {"envoy.extensions.filters.http.mcp_router.v3.McpRouter.McpCluster", "cluster", "cds", ""},
    {"envoy.extensions.clusters.mcp_multicluster.v3.ClusterConfig.McpCluster", "cluster", "cds", ""},
};

// Tells whether a message is of the v2 API: its package has a part "v2" or "v2alpha…".
bool IsV2(std::string_view message) {
  return message.find(".v2.") != message.npos || message.find(".v2alpha") != message.npos;
}

std::string TargetUrl(const ReferenceRow& row) {
  const types::KnownType* known = types::FindByWord(row.target);
  if (known == nullptr) return fmt::format("{}{}", types::kTypeUrlPrefix, row.target);
  return std::string(known->names(IsV2(row.message) ? types::Api::kV2 : types::Api::kV3).type_url);
}

// Returns the values of a text field, singular or repeated; none when the type has no such field.
std::vector<std::string> Texts(const wire::View& view, std::string_view field_name) {
  const wire::Field* field = view.type().Find(field_name);
  if (field == nullptr || field->kind != wire::FieldKind::kString) return {};
  if (!field->repeated) return {std::string(view.GetText(field->number))};
  std::vector<std::string> texts;
  const std::optional<wire::Present> present = view.Find(field_name);
  if (!present) return texts;
  for (wire::Elements elements(*present); elements.Next();) texts.emplace_back(elements.value().AsText());
  return texts;
}

std::string First(std::vector<std::string> texts) {
  return texts.empty() ? std::string() : std::move(texts.front());
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The names in a ConfigSource by which it can be told whose server it means.
struct SourceNames {
  bool ads = false;
  bool self = false;
  std::string file;
  bool rest = false;
  std::string cluster;  // the first one
  std::string target;
};

SourceNames NamesOfSource(const wire::View& config_source) {
  const wire::Fields fields(config_source);
  const wire::View source = fields.Of(config_source);
  SourceNames names;
  names.ads = source.Get("ads").has_value();
  names.self = source.Get("self").has_value();
  names.file = source.GetText("path");
  if (const auto path = MessageAt(source, "path_config_source")) names.file = path->GetText("path");
  const std::optional<wire::View> api = MessageAt(source, "api_config_source");
  if (!api) return names;
  names.cluster = First(Texts(*api, "cluster_names"));
  const std::optional<wire::View> service = MessageAt(*api, "grpc_services");
  names.rest = !service;
  if (!service) return names;
  if (const auto envoy = MessageAt(*service, "envoy_grpc")) names.cluster = envoy->GetText("cluster_name");
  if (const auto google = MessageAt(*service, "google_grpc")) names.target = google->GetText("target_uri");
  return names;
}

Origin OriginOf(const SourceNames& names, const ThisServer& this_server) {
  const bool here = (names.ads && this_server.has_ads) || names.self || (names.rest && this_server.any_rest) ||
                    (!names.cluster.empty() && Contains(this_server.clusters, names.cluster)) ||
                    (!names.target.empty() && Contains(this_server.targets, names.target));
  return here ? Origin::kHere : Origin::kElsewhere;
}

void SetOrigin(const wire::View& config_source, const ThisServer& this_server, Reference& reference) {
  const SourceNames names = NamesOfSource(config_source);
  reference.origin = OriginOf(names, this_server);
  const bool is_here = reference.origin == Origin::kHere;
  std::string& words = is_here ? reference.here : reference.elsewhere;
  words = names.ads                ? is_here ? "ads" : "ads, and the bootstrap has no ads_config"
          : names.self             ? "self"
          : !names.file.empty()    ? fmt::format("file {}", names.file)
          : !names.target.empty()  ? fmt::format("target {}", names.target)
          : !names.cluster.empty() ? fmt::format("cluster {}", names.cluster)
                                   : "no config source";
}

// Whether a row refers to clusters by their names alone.
bool NamesClusters(const ReferenceRow& row) {
  return row.target == "cds" && row.source_field.empty();
}

}  // namespace

std::span<const ReferenceRow> ReferenceRows() {
  return kRows;
}

const std::vector<const ReferenceRow*>& RowsByType::Of(const wire::Type& type) {
  const auto [entry, added] = rows_.try_emplace(&type);
  if (added) {
    for (const ReferenceRow& row : kRows) {
      if (row.message == type.full_name()) entry->second.push_back(&row);
    }
  }
  return entry->second;
}

std::optional<wire::View> MessageAt(wire::View view, std::string_view path) {
  while (true) {
    const std::size_t dot = path.find('.');
    const std::optional<wire::Value> value = view.Get(path.substr(0, dot));
    if (!value || value->field->kind != wire::FieldKind::kMessage) return std::nullopt;
    view = value->AsMessage();
    if (dot == path.npos) return view;
    path.remove_prefix(dot + 1);
  }
}

bool LeadsHere(const wire::View& config_source, const ThisServer& this_server) {
  return OriginOf(NamesOfSource(config_source), this_server) == Origin::kHere;
}

std::vector<Reference> ReferencesOf(const ReferenceRow& row, const wire::View& view, std::string_view resource_name,
                                    const ThisServer& this_server) {
  Reference reference;
  if (!row.source_field.empty()) {
    const std::optional<wire::View> source = MessageAt(view, row.source_field);
    if (!source) return {};  // configured in place, or a secret of the bootstrap
    SetOrigin(*source, this_server, reference);
  }
  reference.type_url = TargetUrl(row);
  if (row.name_field.empty()) return {std::move(reference)};
  const Origin origin = reference.origin;
  std::vector<Reference> references;
  for (std::string& name : Texts(view, row.name_field)) {
    if (name.empty() && !row.resource_name_if_unnamed) continue;
    reference.name = name.empty() ? std::string(resource_name) : std::move(name);
    const bool is_static = NamesClusters(row) && this_server.static_clusters.contains(reference.name);
    reference.origin = is_static ? Origin::kStatic : origin;
    references.push_back(reference);
  }
  return references;
}

}  // namespace xdscope::resource
