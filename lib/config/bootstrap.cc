#include "lib/config/bootstrap.h"

#include <array>

#include <fmt/format.h>

#include "lib/config/envoy_servers.h"
#include "lib/config/grpc_servers.h"
#include "lib/config/node.h"
#include "lib/config/server_table.h"
#include "lib/config/setting.h"

namespace xdscope::config {
namespace {

// Config sources in the order in which they name the main server.
constexpr std::array<std::string_view, 4> kMainSources = {"ads_config", "cds_config", "lds_config", "xds_servers"};

}  // namespace

const ServerConfig* Bootstrap::MainServer() const {
  for (const std::string_view name : kMainSources) {
    const auto found = config_sources.find(name);
    if (found != config_sources.end() && !found->second.empty()) return &servers[found->second.front()];
  }
  return nullptr;
}

std::vector<std::string> Bootstrap::NotesOnOtherServers() const {
  const ServerConfig* const main_server = MainServer();
  std::vector<std::string> others;
  for (const ServerConfig& server : servers) {
    if (&server == main_server || server.where.empty()) continue;
    others.push_back(
        fmt::format("{}: this server is not asked{}", server.where,
                    main_server == nullptr ? "" : fmt::format(", only {} is", main_server->channel.target)));
  }
  return others;
}

absl::StatusOr<Bootstrap> ReadBootstrap(const Document& document, wire::Types& types,
                                        const Surroundings& surroundings) {
  const encode::Node found = FindBootstrap(document);
  if (!found.valid()) return ErrorAt(document.file(), 0, "", "this /config_dump has no bootstrap");
  const Setting root(document, found);
  const Setting dynamic = root["dynamic_resources"];
  const bool is_grpc = static_cast<bool>(root["xds_servers"]);
  if (!is_grpc && !dynamic) {
    return ErrorAt(document.file(), 0, "", "is no bootstrap: neither dynamic_resources (Envoy) nor xds_servers (gRPC)");
  }
  Bootstrap bootstrap;
  bootstrap.client = is_grpc ? ClientKind::kGrpc : ClientKind::kEnvoy;
  ServerTable table(&bootstrap);
  is_grpc ? ReadGrpcServers(root, surroundings, &table) : ReadEnvoyServers(root, surroundings, &table);
  const ServerConfig* const main_server = bootstrap.MainServer();
  if (main_server == nullptr && bootstrap.files.empty()) {
    return dynamic.Error("names no control plane: no ads_config, cds_config or lds_config over gRPC");
  }
  if (main_server != nullptr && !main_server->status.ok()) return main_server->status;
  if (root["node"]) {
    absl::StatusOr<std::string> node = EncodeNode(document, types);
    if (!node.ok()) return node.status();
    bootstrap.node = *std::move(node);
  }
  return bootstrap;
}

}  // namespace xdscope::config
