#include "lib/rules/cluster_source.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using wire::View;

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

}  // namespace

Source SourceOf(const View& cluster, wire::Types& types) {
  if (const std::optional<View> custom = MessageIn(cluster, "cluster_type")) return SourceOfCustom(*custom, types);
  const std::uint64_t type = NumberIn(cluster, "type").value_or(0);
  return type < kSources.size() ? kSources[type] : Source::kOther;
}

}  // namespace xdscope::rules
