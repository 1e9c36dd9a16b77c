#include "lib/rules/extension_points.h"

#include <algorithm>
#include <iterator>

namespace xdscope::rules {
namespace {

constexpr std::string_view kNetworkFilter = "a network filter";
constexpr std::string_view kHttpFilter = "an HTTP filter";
constexpr std::string_view kListenerFilter = "a listener filter";
constexpr std::string_view kUdpFilter = "a UDP listener filter";
constexpr std::string_view kTransportSocket = "a transport socket";
constexpr std::string_view kAccessLogFilter = "an access log filter";
constexpr std::string_view kAccessLogger = "an access logger";
constexpr std::string_view kLoadBalancer = "a load-balancing policy";
constexpr std::string_view kClusterType = "a cluster type";
constexpr std::string_view kRetryHost = "a retry host predicate";
constexpr std::string_view kRetryPriority = "a retry priority";
constexpr std::string_view kRedirect = "an internal redirect predicate";
constexpr std::string_view kClusterSpecifier = "a cluster specifier plugin";
constexpr std::string_view kPathMatch = "a path match policy";
constexpr std::string_view kPathRewrite = "a path rewrite policy";
constexpr std::string_view kHealthChecker = "a health checker";
constexpr std::string_view kRequestId = "a request id extension";
constexpr std::string_view kIpDetection = "an original IP detection";
constexpr std::string_view kHeaderMutation = "an early header mutation";
constexpr std::string_view kHeaderValidator = "a header validator";
constexpr std::string_view kDnsResolver = "a DNS resolver";

struct Package {
  std::string_view prefix;
  std::string_view kind;
};
// The narrower package stands first.
constexpr Package kPackages[] = {
    {"envoy.extensions.filters.network.", kNetworkFilter},
    {"envoy.extensions.filters.http.", kHttpFilter},
    {"envoy.extensions.filters.listener.", kListenerFilter},
    {"envoy.extensions.filters.udp.", kUdpFilter},
    {"envoy.extensions.transport_sockets.", kTransportSocket},
    {"envoy.extensions.access_loggers.filters.", kAccessLogFilter},
    {"envoy.extensions.access_loggers.", kAccessLogger},
    {"envoy.extensions.load_balancing_policies.", kLoadBalancer},
    {"envoy.extensions.clusters.", kClusterType},
    {"envoy.extensions.retry.host.", kRetryHost},
    {"envoy.extensions.retry.priority.", kRetryPriority},
    {"envoy.extensions.internal_redirect.", kRedirect},
    {"envoy.extensions.router.cluster_specifiers.", kClusterSpecifier},
    {"envoy.extensions.path.match.", kPathMatch},
    {"envoy.extensions.path.rewrite.", kPathRewrite},
    {"envoy.extensions.health_checkers.", kHealthChecker},
    {"envoy.extensions.request_id.", kRequestId},
    {"envoy.extensions.http.original_ip_detection.", kIpDetection},
    {"envoy.extensions.http.early_header_mutation.", kHeaderMutation},
    {"envoy.extensions.http.header_validators.", kHeaderValidator},
    {"envoy.extensions.network.dns_resolver.", kDnsResolver},
};

constexpr std::string_view kManager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

constexpr ExtensionPoint kPoints[] = {
    {"envoy.config.listener.v3.Filter", "typed_config", {kNetworkFilter}},
    {"envoy.config.listener.v3.ListenerFilter", "typed_config", {kListenerFilter, kUdpFilter}},
    {"envoy.config.cluster.v3.Filter", "typed_config", {kNetworkFilter}},
    {"envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter", "typed_config", {kHttpFilter}},
    {"envoy.config.core.v3.TransportSocket", "typed_config", {kTransportSocket}},
    {"envoy.config.accesslog.v3.AccessLog", "typed_config", {kAccessLogger}},
    {"envoy.config.accesslog.v3.ExtensionFilter", "typed_config", {kAccessLogFilter}},
    {"envoy.config.cluster.v3.LoadBalancingPolicy.Policy", "typed_extension_config", {kLoadBalancer}},
    {"envoy.config.cluster.v3.Cluster.CustomClusterType", "typed_config", {kClusterType}},
    {"envoy.config.cluster.v3.Cluster", "typed_dns_resolver_config", {kDnsResolver}},
    {"envoy.config.core.v3.HealthCheck.CustomHealthCheck", "typed_config", {kHealthChecker}},
    {"envoy.config.route.v3.RetryPolicy.RetryHostPredicate", "typed_config", {kRetryHost}},
    {"envoy.config.route.v3.RetryPolicy.RetryPriority", "typed_config", {kRetryPriority}},
    {"envoy.config.route.v3.InternalRedirectPolicy", "predicates", {kRedirect}},
    {"envoy.config.route.v3.ClusterSpecifierPlugin", "extension", {kClusterSpecifier}},
    {"envoy.config.route.v3.RouteMatch", "path_match_policy", {kPathMatch}},
    {"envoy.config.route.v3.RouteAction", "path_rewrite_policy", {kPathRewrite}},
    {kManager, "original_ip_detection_extensions", {kIpDetection}},
    {kManager, "early_header_mutation_extensions", {kHeaderMutation}},
    {kManager, "typed_header_validation_config", {kHeaderValidator}},
    {"envoy.extensions.filters.network.http_connection_manager.v3.RequestIDExtension", "typed_config", {kRequestId}},
};

}  // namespace

std::string_view KindOfExtension(std::string_view full_name) {
  for (const Package& package : kPackages) {
    if (full_name.starts_with(package.prefix)) return package.kind;
  }
  return {};
}

std::span<const ExtensionPoint> ExtensionPoints() {
  return kPoints;
}

const ExtensionPoint* FindExtensionPoint(std::string_view message, std::string_view field) {
  const auto* const found = std::find_if(std::begin(kPoints), std::end(kPoints), [&](const ExtensionPoint& point) {
    return point.message == message && point.field == field;
  });
  return found == std::end(kPoints) ? nullptr : found;
}

}  // namespace xdscope::rules
