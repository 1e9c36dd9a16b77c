#include "lib/config/server_table.h"

#include <utility>

#include "lib/base/status.h"

namespace xdscope::config {

ServerList ServerTable::Add(std::vector<ServerConfig> servers) {
  ServerList indexes;
  for (ServerConfig& server : servers) {
    std::size_t index = bootstrap_.servers.size();
    // Servers that cannot be asked have nothing but their error to be told apart by, so each stays an entry of its own.
    if (server.status.ok()) index = known_.try_emplace(KeyOf(server), index).first->second;
    indexes.push_back(index);
    if (index == bootstrap_.servers.size()) bootstrap_.servers.push_back(std::move(server));
  }
  return indexes;
}

ServerTable::Key ServerTable::KeyOf(const ServerConfig& server) {
  const transport::ChannelSettings& channel = server.channel;
  return {channel.target,
          server.more_targets,
          channel.authority,
          server.cluster,
          channel.headers,
          server.variant,
          server.api,
          channel.tls.has_value(),
          channel.tls.value_or(transport::Tls()),
          std::string(base::Message(server.verification))};
}

}  // namespace xdscope::config
