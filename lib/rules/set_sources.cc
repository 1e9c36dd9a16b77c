// Where the resources of a set come from: the clusters and files that their sources name, and what the bootstrap says
// of its own cluster. [reference/validation.md 2.4 XDS-V083, V084; 2.5 XDS-V095; 2.6 XDS-V105]
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "lib/encode/visit.h"
#include "lib/rules/reading.h"
#include "lib/rules/set_inspector.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using finding::Finding;
using wire::View;

constexpr std::string_view kApiSource = "envoy.config.core.v3.ApiConfigSource";
constexpr std::string_view kConfigSource = "envoy.config.core.v3.ConfigSource";
constexpr std::string_view kDataSource = "envoy.config.core.v3.DataSource";
constexpr std::string_view kPathSource = "envoy.config.core.v3.PathConfigSource";
constexpr std::string_view kSecretConfig = "envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig";
constexpr std::string_view kTls = "envoy.extensions.transport_sockets.tls.v3.";

// A cluster that a source names, and the path to its name from the source.
struct NamedCluster {
  std::string_view name;
  finding::Path path;
};

std::vector<NamedCluster> ClustersOf(const View& source) {
  std::vector<NamedCluster> clusters;
  std::size_t index = 0;
  for (const std::string_view name : TextsIn(source, "cluster_names")) {
    clusters.push_back({name, finding::Path().AddField("cluster_names").AddIndex(index++)});
  }
  index = 0;
  for (const View& service : MessagesIn(source, "grpc_services")) {
    finding::Path path = finding::Path().AddField("grpc_services").AddIndex(index++);
    const std::optional<View> envoy = MessageIn(service, "envoy_grpc");
    if (envoy)
      clusters.push_back({envoy->GetText("cluster_name"), path.AddField("envoy_grpc").AddField("cluster_name")});
  }
  return clusters;
}

// Tells whether resources come from an ApiConfigSource: others are for reports of load and of health.
bool IsForResources(const Visited& source) {
  if (source.above == nullptr || source.field == nullptr) return false;
  return source.above->message.type().full_name() == kConfigSource || source.field->name == "ads_config";
}

// Tells whether a source is that of a secret, of which Envoy takes any.
bool IsForSecret(const Visited& source) {
  const Visited& config_source = *source.above;
  return config_source.above != nullptr && config_source.above->message.type().full_name() == kSecretConfig;
}

// Tells whether Envoy has the endpoints of a cluster before it asks any server.
bool IsSource(const View& cluster) {
  constexpr std::uint64_t kEds = 3;  // of Cluster.DiscoveryType
  if (NumberIn(cluster, "type").value_or(0) != kEds) return true;
  const std::optional<View> eds = MessageIn(cluster, "eds_cluster_config");
  const std::optional<View> source = eds ? MessageIn(*eds, "eds_config") : std::nullopt;
  return source && (Has(*source, "path") || Has(*source, "path_config_source"));
}

// Returns which field of a secret is set; empty: none.
std::string KindIn(const View& secret) {
  for (const wire::Fields fields(secret); const wire::Present& present : fields.known()) {
    if (present.field->kind == wire::FieldKind::kMessage) return std::string(present.field->name);
  }
  return {};
}

}  // namespace

void AddBootstrap(const View& bootstrap, SetOptions* options) {
  if (!options->source_clusters) options->source_clusters = options->known_clusters;
  const std::optional<View> manager = MessageIn(bootstrap, "cluster_manager");
  const std::string_view local = manager ? manager->GetText("local_cluster_name") : std::string_view();
  const std::optional<View> resources = MessageIn(bootstrap, "static_resources");
  if (!resources) return;
  for (const View& cluster : MessagesIn(*resources, "clusters")) {
    const std::string_view name = cluster.GetText("name");
    options->known_clusters.emplace(name);
    if (IsSource(cluster)) options->source_clusters->emplace(name);
    if (name.empty() || name != local) continue;
    const std::optional<View> eds = MessageIn(cluster, "eds_cluster_config");
    const std::string_view service = eds ? eds->GetText("service_name") : std::string_view();
    options->local_endpoints.emplace(service.empty() ? name : service);
  }
  for (const View& secret : MessagesIn(*resources, "secrets")) {
    options->known_secrets.emplace(secret.GetText("name"), KindIn(secret));
  }
}

void SetInspector::CheckSources(std::span<const Member> members) {
  if (!options_.source_clusters && !options_.is_missing) return;
  for (const Member& member : members) {
    encode::Visit(member.resource, types_, [&](const Visited& at) {
      if (at.message.type().full_name() == kApiSource) CheckSource(at, member);
      CheckPath(at, member);
      return true;
    });
  }
}

// [XDS-V083]
void SetInspector::CheckSource(const Visited& source, const Member& member) {
  if (!options_.source_clusters || !IsForResources(source)) return;
  for (const auto& [name, path] : ClustersOf(source.message)) {
    if (name.empty() || options_.source_clusters->contains(name)) continue;
    const bool known = options_.known_clusters.contains(name);
    Finding* const finding =
        Add("XDS-V083", member, encode::PathTo(source).Append(path),
            known ? fmt::format("the endpoints of cluster \"{}\" come from a server themselves", name)
                  : fmt::format("\"{}\" is no static cluster of the bootstrap", name));
    if (finding == nullptr) return;
    if (!IsForSecret(source)) continue;
    finding->severity = finding::Severity::kWarning;
    finding->effect = "Envoy takes it, and the secret does not come";
  }
}

// [XDS-V084, V105]
void SetInspector::CheckPath(const Visited& at, const Member& member) {
  if (!options_.is_missing) return;
  const std::string_view type = at.message.type().full_name();
  const bool data = type == kDataSource;
  if (!data && type != kConfigSource && type != kPathSource) return;
  const std::string_view field = data ? "filename" : "path";
  const std::string_view path = at.message.GetText(field);
  if (path.empty() || !options_.is_missing(path, files_[member.file])) return;
  // Names of files that belong to a secret are hidden with it.
  const bool tls = data && at.above != nullptr && at.above->message.type().full_name().starts_with(kTls);
  Add(tls ? "XDS-V105" : "XDS-V084", member, encode::PathTo(at).AddField(field),
      data ? "names a file that is not there" : fmt::format("there is no file {}", path));
}

// [XDS-V095] The endpoints that the local cluster has in the bootstrap are judged there.
void SetInspector::CheckLocalEndpoints() {
  for (const std::string& name : options_.local_endpoints) {
    const Member* const local = Find(kEndpointsType, name);
    if (local == nullptr) continue;
    std::size_t index = 0;
    for (const View& locality : MessagesIn(local->resource, "endpoints")) {
      finding::Path path = finding::Path().AddField("endpoints").AddIndex(index++).AddField("priority");
      const std::uint64_t priority = NumberIn(locality, "priority").value_or(0);
      if (priority == 0) continue;
      Add("XDS-V095", *local, std::move(path),
          fmt::format("the local cluster has priority 0 alone, and not {}", priority));
    }
  }
}

}  // namespace xdscope::rules
