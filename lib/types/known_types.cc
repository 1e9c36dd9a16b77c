#include "lib/types/known_types.h"

#include <algorithm>
#include <array>

#include "lib/base/fields.h"
#include "lib/base/type_url.h"

namespace xdscope::types {
namespace {

// The rows of protocol.md A.6.
// clang-format off
#define URL(message) "type.googleapis.com/" message
constexpr std::array<KnownType, 10> kKnownTypes = {{
    {"lds", "listeners",
     {URL("envoy.config.listener.v3.Listener"), "envoy.service.listener.v3.ListenerDiscoveryService"},
     {URL("envoy.api.v2.Listener"), "envoy.api.v2.ListenerDiscoveryService"},
     "StreamListeners", "DeltaListeners", "FetchListeners", "name", true, {3, 0}, false},
    {"rds", "routes",
     {URL("envoy.config.route.v3.RouteConfiguration"), "envoy.service.route.v3.RouteDiscoveryService"},
     {URL("envoy.api.v2.RouteConfiguration"), "envoy.api.v2.RouteDiscoveryService"},
     "StreamRoutes", "DeltaRoutes", "FetchRoutes", "name", false, {4, 2}, false},
    {"srds", "scoped-routes",
     {URL("envoy.config.route.v3.ScopedRouteConfiguration"), "envoy.service.route.v3.ScopedRoutesDiscoveryService"},
     {URL("envoy.api.v2.ScopedRouteConfiguration"), "envoy.api.v2.ScopedRoutesDiscoveryService"},
     "StreamScopedRoutes", "DeltaScopedRoutes", "FetchScopedRoutes", "name", false, {5, 1}, false},
    {"vhds", "virtual-hosts",
     {URL("envoy.config.route.v3.VirtualHost"), "envoy.service.route.v3.VirtualHostDiscoveryService"},
     {URL("envoy.api.v2.route.VirtualHost"), "envoy.api.v2.VirtualHostDiscoveryService"},
     "", "DeltaVirtualHosts", "", "", false, {6, 3}, true},
    {"cds", "clusters",
     {URL("envoy.config.cluster.v3.Cluster"), "envoy.service.cluster.v3.ClusterDiscoveryService"},
     {URL("envoy.api.v2.Cluster"), "envoy.api.v2.ClusterDiscoveryService"},
     "StreamClusters", "DeltaClusters", "FetchClusters", "name", true, {0, 9}, false},
    {"eds", "endpoints",
     {URL("envoy.config.endpoint.v3.ClusterLoadAssignment"), "envoy.service.endpoint.v3.EndpointDiscoveryService"},
     {URL("envoy.api.v2.ClusterLoadAssignment"), "envoy.api.v2.EndpointDiscoveryService"},
     "StreamEndpoints", "DeltaEndpoints", "FetchEndpoints", "cluster_name", false, {1, 7}, false},
    {"leds", "locality-endpoints",
     {URL("envoy.config.endpoint.v3.LbEndpoint"), "envoy.service.endpoint.v3.LocalityEndpointDiscoveryService"},
     {},
     "", "DeltaLocalityEndpoints", "", "", false, {2, 6}, false},
    {"sds", "secrets",
     {URL("envoy.extensions.transport_sockets.tls.v3.Secret"), "envoy.service.secret.v3.SecretDiscoveryService"},
     {URL("envoy.api.v2.auth.Secret"), "envoy.service.discovery.v2.SecretDiscoveryService"},
     "StreamSecrets", "DeltaSecrets", "FetchSecrets", "name", false, {7, 8}, false},
    {"rtds", "runtime",
     {URL("envoy.service.runtime.v3.Runtime"), "envoy.service.runtime.v3.RuntimeDiscoveryService"},
     {URL("envoy.service.discovery.v2.Runtime"), "envoy.service.discovery.v2.RuntimeDiscoveryService"},
     "StreamRuntime", "DeltaRuntime", "FetchRuntime", "name", false, {8, 5}, false},
    {"ecds", "extension_configs",  // underscore: the one REST path that has no dash
     {URL("envoy.config.core.v3.TypedExtensionConfig"), "envoy.service.extension.v3.ExtensionConfigDiscoveryService"},
     {},
     "StreamExtensionConfigs", "DeltaExtensionConfigs", "FetchExtensionConfigs", "name", false, {9, 4}, false},
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

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; });
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
  const std::string_view message = base::MessageName(type_url);
  if (message.empty()) return nullptr;
  for (const KnownType& type : kKnownTypes) {
    if (message == type.v3.message() || message == type.v2.message()) return &type;
  }
  return nullptr;
}

const KnownType& RowOf(std::string_view type_url) {
  static constexpr KnownType kUnknown;
  const KnownType* known = FindByUrl(type_url);
  return known != nullptr ? *known : kUnknown;
}

bool SaysAll(Variant variant, std::string_view type_url) {
  return !IsDelta(variant) && RowOf(type_url).full_state;
}

std::string_view OtherVersion(std::string_view type_url) {
  const KnownType& type = RowOf(type_url);
  const bool is_v2 = type.known() && type.v2.message() == base::MessageName(type_url);
  return type.names(is_v2 ? Api::kV3 : Api::kV2).type_url;
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
  if (variant == Variant::kRest) return RestPath(type, api);
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

std::string_view NameInPayload(const KnownType& type, std::string_view payload) {
  if (type.named_by_wrapper()) return {};
  const std::string_view name = base::FindBytes(payload, 1).value_or(std::string_view());
  if (!base::IsUtf8(name)) return {};
  // A message in field 1 nearly always begins with a tag below 0x20.
  return !type.known() && HasControlCharacter(name) ? std::string_view() : name;
}

std::string_view NameInPayload(std::string_view type_url, std::string_view payload) {
  return NameInPayload(RowOf(type_url), payload);
}

}  // namespace xdscope::types
