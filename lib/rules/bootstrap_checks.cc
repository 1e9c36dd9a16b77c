// What an Envoy bootstrap says of its static clusters, and of the one that it is in itself.
// [reference/validation.md 2.1 XDS-V007, 2.4 XDS-V087, 2.5 XDS-V095]
#include <fmt/format.h>

#include <array>
#include <set>

#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

// Zone-aware routing compares the localities of other clusters with those of this one. Envoy looks for it among the
// static clusters.
void CheckLocalCluster(const Visited& at, Context& context) {
  const std::optional<View> manager = MessageIn(at.message, "cluster_manager");
  const std::string_view name = manager ? manager->GetText("local_cluster_name") : std::string_view();
  if (name.empty()) return;
  const std::optional<View> resources = MessageIn(at.message, "static_resources");
  const std::vector<View> clusters = resources ? MessagesIn(*resources, "clusters") : std::vector<View>();
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].GetText("name") != name) continue;
    const std::optional<View> endpoints = MessageIn(clusters[i], "load_assignment");
    const std::vector<View> localities = endpoints ? MessagesIn(*endpoints, "endpoints") : std::vector<View>();
    for (std::size_t j = 0; j < localities.size(); ++j) {
      const std::uint64_t priority = NumberIn(localities[j], "priority").value_or(0);
      if (priority == 0) continue;
      finding::Finding* const finding =
          context.Add("XDS-V095", At(at, "static_resources"),
                      fmt::format("the local cluster has priority 0 alone, and not {}", priority));
      if (finding == nullptr) return;
      finding->path.AddField("clusters").AddIndex(i).AddField("load_assignment");
      finding->path.AddField("endpoints").AddIndex(j).AddField("priority");
    }
    return;
  }
  finding::Finding* const finding =
      context.Add("XDS-V095", At(at, "cluster_manager"),
                  fmt::format("the local cluster \"{}\" is none of the static clusters", name));
  if (finding != nullptr) finding->path.AddField("local_cluster_name");
}

void CheckNames(const Visited& at, Context& context) {
  std::set<std::string_view> names;
  std::set<std::string_view> stat_names;
  std::size_t index = 0;
  for (const View& cluster : MessagesIn(at.message, "clusters")) {
    const Place place = At(at, "clusters", index++);
    const std::string_view name = cluster.GetText("name");
    const std::string_view other = cluster.GetText("alt_stat_name");
    const std::string_view stat_name = other.empty() ? name : other;
    if (!names.insert(name).second) {
      context.Add("XDS-V007", place, fmt::format("\"{}\" is the name of another cluster too", name));
    } else if (!stat_names.insert(stat_name).second) {
      context.Add("XDS-V087", place,
                  fmt::format("the statistics of another cluster have the name \"{}\" too", stat_name));
    }
  }
}

// ---- The table.

constexpr std::string_view kBootstrap[] = {"envoy.config.bootstrap.v3.Bootstrap"};
constexpr std::string_view kLocalReads[] = {
    "envoy.config.bootstrap.v3.Bootstrap.StaticResources.clusters",
    "envoy.config.bootstrap.v3.Bootstrap.cluster_manager",
    "envoy.config.bootstrap.v3.Bootstrap.static_resources",
    "envoy.config.bootstrap.v3.ClusterManager.local_cluster_name",
    "envoy.config.endpoint.v3.LocalityLbEndpoints.priority",
};

constexpr std::string_view kStatic[] = {"envoy.config.bootstrap.v3.Bootstrap.StaticResources"};
constexpr std::string_view kStaticReads[] = {
    "envoy.config.bootstrap.v3.Bootstrap.StaticResources.clusters",
    "envoy.config.cluster.v3.Cluster.alt_stat_name",
    "envoy.config.cluster.v3.Cluster.name",
};

constexpr std::array kChecks = {
    Check{"XDS-V007", kStatic, kStaticReads, CheckNames},
    Check{"XDS-V095", kBootstrap, kLocalReads, CheckLocalCluster},
};

}  // namespace

std::span<const Check> BootstrapChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
