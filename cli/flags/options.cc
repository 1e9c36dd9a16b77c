#include "cli/flags/options.h"

#include "lib/transport/target.h"

namespace xdscope::cli {

std::size_t SourceOptions::size() const {
  std::size_t count = 0;
  for (const ServerOptions& server : servers) count += 1 + server.more_targets.size();
  return count;
}

ServerOptions SourceOptions::At(std::size_t address) const {
  auto server = servers.begin();
  while (address > server->more_targets.size()) address -= 1 + server++->more_targets.size();
  ServerOptions at{.where = server->where,
                   .said_at = server->said_at,
                   .cluster = server->cluster,
                   .channel = server->channel,
                   .path = server->path,
                   .more_targets = {},
                   .variant = server->variant,
                   .api = server->api};
  if (address == 0) return at;
  at.channel.target = server->more_targets[address - 1];
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(at.channel.target);
  at.where = target.ok() ? target->Display() : at.channel.target;
  return at;
}

resource::ThisServer ThisServerOf(const ConnectOptions& options) {
  if (!options.path.empty()) return {};
  resource::ThisServer names{.clusters = options.server_clusters,
                             .targets = {options.where, options.channel.target},
                             .any_rest = options.variant == types::Variant::kRest && options.server_clusters.empty(),
                             .has_ads = options.has_ads,
                             .static_clusters = options.static_clusters};
  for (const SourceOptions& source : options.sources) {
    for (const ServerOptions& server : source.servers) {
      if (!server.cluster.empty()) names.clusters.push_back(server.cluster);
      names.targets.insert(names.targets.end(), {server.where, server.channel.target});
    }
  }
  return names;
}

ConnectOptions OptionsAt(const ConnectOptions& options, session::Place place) {
  ConnectOptions at = options;
  if (options.sources.empty()) return at;
  ServerOptions server = options.sources[place.source].At(place.server);
  at.sources.clear();
  at.routes.clear();
  at.path = std::move(server.path);
  at.where = std::move(server.where);
  at.channel = std::move(server.channel);
  at.variant = server.variant;
  at.api = server.api;
  return at;
}

Speech SpeechAt(const ConnectOptions& options, session::Place place) {
  if (options.sources.empty()) return {options.api, types::IsDelta(options.variant)};
  const ServerOptions server = options.sources[place.source].At(place.server);
  return {server.api, types::IsDelta(server.variant)};
}

std::string WhereOf(const ConnectOptions& options, session::Place place) {
  return options.sources.empty() ? options.where : options.sources[place.source].At(place.server).where;
}

ServerOptions MainServerOf(const ConnectOptions& options) {
  ServerOptions server;
  server.where = options.where;
  server.channel = options.channel;
  server.variant = options.variant;
  server.api = options.api;
  return server;
}

std::optional<ServerOptions> ServerFor(const ConnectOptions& options, std::string_view type_url) {
  if (options.sources.empty()) return MainServerOf(options);
  const source::Route* route = source::FindRoute(options.routes, type_url, {});
  if (route == nullptr || !route->source) return std::nullopt;
  return options.sources[*route->source].At(0);
}

}  // namespace xdscope::cli
