#include "lib/config/grpc_servers.h"

#include <array>
#include <utility>

#include "lib/config/credentials.h"
#include "lib/transport/target.h"

namespace xdscope::config {
namespace {

// Reads the credentials "tls" (gRFC A65), which verify authority and host.
absl::Status ReadTlsFiles(const Setting& config, const Surroundings& surroundings, ServerConfig* server) {
  constexpr std::array<std::string_view, 4> kUnderstood = {"ca_certificate_file", "certificate_file",
                                                           "private_key_file", "refresh_interval"};
  transport::Tls& tls = server->channel.tls.emplace();
  server->verification = ReadAuthorities(ReadNamedFile, config["ca_certificate_file"], surroundings, &tls);
  const Setting stranger = config.FirstBesides(kUnderstood);
  if (stranger) server->verification.Update(stranger.Error("is not understood"));
  return ReadIdentity(ReadNamedFile, config["certificate_file"], config["private_key_file"], surroundings, &tls);
}

// Takes the first credentials of a kind that we know, as gRPC does.
absl::Status ReadCredentials(const Setting& list, const Surroundings& surroundings, ServerConfig* server) {
  for (const Setting& credentials : list.Elements()) {
    const Setting type = credentials["type"];
    if (type.Text() == "insecure") return absl::OkStatus();
    if (type.Text() == "tls") return ReadTlsFiles(credentials["config"], surroundings, server);
    if (type.Text() != "google_default") continue;
    server->channel.tls.emplace();
    const absl::Status note = type.Error("the account's token is not sent; give -H 'authorization: …'");
    server->notes.emplace_back(base::Message(note));
    return absl::OkStatus();
  }
  return list.Error("expected credentials of type insecure, tls or google_default");
}

std::vector<ServerConfig> ReadServers(const Setting& list, const Surroundings& surroundings) {
  std::vector<ServerConfig> servers;
  for (const Setting& entry : list.Elements()) {
    ServerConfig server;
    server.where = entry.Where();
    server.status = ReadServerUri(entry["server_uri"], &server.channel);
    if (server.status.ok()) server.status = ReadCredentials(entry["channel_creds"], surroundings, &server);
    servers.push_back(std::move(server));
  }
  return servers;
}

}  // namespace

// An authority may name servers of its own for its xdstp: names; one that names none is asked at the same place as all
// else (gRFC A47).
void ReadGrpcServers(const Setting& root, const Surroundings& surroundings, ServerTable* table) {
  const Setting list = root["xds_servers"];
  std::vector<ServerConfig> servers = ReadServers(list, surroundings);
  if (servers.empty()) servers.emplace_back().status = list.First().Error("names no server");
  const ServerList all = table->Add(std::move(servers));
  for (const auto& [name, authority] : root["authorities"].Members()) {
    const ServerList own = table->Add(ReadServers(authority["xds_servers"], surroundings));
    table->bootstrap().authorities.insert_or_assign(std::string(name), own.empty() ? all : own);
  }
  table->bootstrap().config_sources["xds_servers"] = all;
}

absl::Status ReadServerUri(const Setting& uri, transport::ChannelSettings* channel) {
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(uri.Text());
  if (!target.ok()) return uri.Error(base::Message(target.status()));
  channel->target = uri.Text();
  return absl::OkStatus();
}

}  // namespace xdscope::config
