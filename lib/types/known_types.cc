#include "lib/types/known_types.h"

#include <algorithm>
#include <array>

#include "lib/base/fields.h"

namespace xdscope::types {
namespace {

// protocol.md A.6, a row per type.
// clang-format off
#define URL(message) "type.googleapis.com/" message
constexpr std::array<KnownType, 10> kKnownTypes = {{
    {"lds", "listeners",
     {URL("envoy.config.listener.v3.Listener"), "envoy.service.listener.v3.ListenerDiscoveryService"},
     {URL("envoy.api.v2.Listener"), "envoy.api.v2.ListenerDiscoveryService"},
     "StreamListeners", "DeltaListeners", "FetchListeners", "name", Wildcard::kDocumented, true},
    {"rds", "routes",
     {URL("envoy.config.route.v3.RouteConfiguration"), "envoy.service.route.v3.RouteDiscoveryService"},
     {URL("envoy.api.v2.RouteConfiguration"), "envoy.api.v2.RouteDiscoveryService"},
     "StreamRoutes", "DeltaRoutes", "FetchRoutes", "name", Wildcard::kNo, false},
    {"srds", "scoped-routes",
     {URL("envoy.config.route.v3.ScopedRouteConfiguration"), "envoy.service.route.v3.ScopedRoutesDiscoveryService"},
     {URL("envoy.api.v2.ScopedRouteConfiguration"), "envoy.api.v2.ScopedRoutesDiscoveryService"},
     "StreamScopedRoutes", "DeltaScopedRoutes", "FetchScopedRoutes", "name", Wildcard::kPractice, false},
    {"vhds", "virtual-hosts",
     {URL("envoy.config.route.v3.VirtualHost"), "envoy.service.route.v3.VirtualHostDiscoveryService"},
     {URL("envoy.api.v2.route.VirtualHost"), "envoy.api.v2.VirtualHostDiscoveryService"},
     "", "DeltaVirtualHosts", "", "", Wildcard::kPractice, false},
    {"cds", "clusters",
     {URL("envoy.config.cluster.v3.Cluster"), "envoy.service.cluster.v3.ClusterDiscoveryService"},
     {URL("envoy.api.v2.Cluster"), "envoy.api.v2.ClusterDiscoveryService"},
     "StreamClusters", "DeltaClusters", "FetchClusters", "name", Wildcard::kDocumented, true},
    {"eds", "endpoints",
     {URL("envoy.config.endpoint.v3.ClusterLoadAssignment"), "envoy.service.endpoint.v3.EndpointDiscoveryService"},
     {URL("envoy.api.v2.ClusterLoadAssignment"), "envoy.api.v2.EndpointDiscoveryService"},
     "StreamEndpoints", "DeltaEndpoints", "FetchEndpoints", "cluster_name", Wildcard::kNo, false},
    {"leds", "locality-endpoints",
     {URL("envoy.config.endpoint.v3.LbEndpoint"), "envoy.service.endpoint.v3.LocalityEndpointDiscoveryService"},
     {},
     "", "DeltaLocalityEndpoints", "", "", Wildcard::kGlob, false},
    {"sds", "secrets",
     {URL("envoy.extensions.transport_sockets.tls.v3.Secret"), "envoy.service.secret.v3.SecretDiscoveryService"},
     {URL("envoy.api.v2.auth.Secret"), "envoy.service.discovery.v2.SecretDiscoveryService"},
     "StreamSecrets", "DeltaSecrets", "FetchSecrets", "name", Wildcard::kNo, false},
    {"rtds", "runtime",
     {URL("envoy.service.runtime.v3.Runtime"), "envoy.service.runtime.v3.RuntimeDiscoveryService"},
     {URL("envoy.service.discovery.v2.Runtime"), "envoy.service.discovery.v2.RuntimeDiscoveryService"},
     "StreamRuntime", "DeltaRuntime", "FetchRuntime", "name", Wildcard::kNo, false},
    {"ecds", "extension_configs",  // underscore: the one REST path that has no dash
     {URL("envoy.config.core.v3.TypedExtensionConfig"), "envoy.service.extension.v3.ExtensionConfigDiscoveryService"},
     {},
     "StreamExtensionConfigs", "DeltaExtensionConfigs", "FetchExtensionConfigs", "name", Wildcard::kNo, false},
}};
#undef URL
// clang-format on

constexpr std::string_view kAdsMethods[2][2] = {
    {"/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
     "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources"},
    {"/envoy.service.discovery.v2.AggregatedDiscoveryService/StreamAggregatedResources",
     "/envoy.service.discovery.v2.AggregatedDiscoveryService/DeltaAggregatedResources"},
};

char Fold(char c) {
  if (c == '_') return '-';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Fold(x) == Fold(y); });
}

// A message in field 1 nearly always begins with a tag below 0x20; a name never does.
bool LooksLikeName(std::string_view bytes) {
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  return base::IsUtf8(bytes) && std::ranges::none_of(bytes, is_control);
}

}  // namespace

std::span<const KnownType> KnownTypes() {
  return kKnownTypes;
}

const KnownType* FindByWord(std::string_view word) {
  for (const KnownType& type : kKnownTypes) {
    if (SameWord(word, type.short_name) || SameWord(word, type.plural)) return &type;
  }
  return nullptr;
}

const KnownType* FindByUrl(std::string_view type_url) {
  const std::string_view message = MessageName(type_url);
  if (message.empty()) return nullptr;
  for (const KnownType& type : kKnownTypes) {
    if (message == type.v3.message() || message == type.v2.message()) return &type;
  }
  return nullptr;
}

Api ApiOf(std::string_view type_url) {
  const KnownType* type = FindByUrl(type_url);
  return type != nullptr && type->v2.message() == MessageName(type_url) ? Api::kV2 : Api::kV3;
}

std::size_t OutputRank(std::string_view type_url) {
  const KnownType* type = FindByUrl(type_url);
  return type == nullptr ? kKnownTypes.size() : static_cast<std::size_t>(type - kKnownTypes.data());
}

std::string_view AdsMethod(Variant variant, Api api) {
  return kAdsMethods[api == Api::kV2 ? 1 : 0][IsDelta(variant) ? 1 : 0];
}

std::string Method(const KnownType& type, Variant variant, Api api) {
  if (!type.names(api).exists()) return {};
  if (IsAggregated(variant)) return std::string(AdsMethod(variant, api));
  const std::string_view method = variant == Variant::kUnary ? type.unary_method
                                  : IsDelta(variant)         ? type.delta_method
                                                             : type.sotw_method;
  if (method.empty()) return {};
  std::string path = "/";
  return path.append(type.names(api).service).append("/").append(method);
}

std::string RestPath(const KnownType& type, Api api) {
  if (!type.names(api).exists() || type.unary_method.empty()) return {};
  std::string path = api == Api::kV3 ? "/v3/discovery:" : "/v2/discovery:";
  return path.append(type.plural);
}

std::string_view MessageName(std::string_view type_url) {
  const std::size_t slash = type_url.rfind('/');
  return slash == std::string_view::npos ? type_url : type_url.substr(slash + 1);
}

std::string_view NameInPayload(std::string_view type_url, std::string_view payload) {
  const KnownType* type = FindByUrl(type_url);
  if (type != nullptr && type->named_by_wrapper()) return {};
  const std::string_view name = base::FindBytes(payload, 1).value_or(std::string_view());
  return type != nullptr || LooksLikeName(name) ? name : std::string_view();
}

}  // namespace xdscope::types
