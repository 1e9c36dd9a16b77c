#include "lib/config/envoy_servers.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/config/credentials.h"
#include "lib/config/grpc_servers.h"
#include "lib/config/secrets.h"
#include "lib/config/transport_socket.h"
#include "lib/transport/target.h"

namespace xdscope::config {
namespace {

struct ApiType {
  std::string_view name;
  types::Variant per_type;
  types::Variant aggregated;
};

// api_type as Envoy writes it. What it means depends on where it stands: below ads_config every stream is aggregated.
constexpr std::array kApiTypes = {
    ApiType{"GRPC", types::Variant::kSotw, types::Variant::kAds},
    ApiType{"DELTA_GRPC", types::Variant::kDelta, types::Variant::kDeltaAds},
    ApiType{"AGGREGATED_GRPC", types::Variant::kAds, types::Variant::kAds},
    ApiType{"AGGREGATED_DELTA_GRPC", types::Variant::kDeltaAds, types::Variant::kDeltaAds},
};

absl::Status ReadVariant(const Setting& source, bool aggregated, ServerConfig* server) {
  if (source["transport_api_version"].Text() == "V2") server->api = types::Api::kV2;
  const Setting name = source["api_type"];
  for (const ApiType& type : kApiTypes) {
    if (name.Text() != type.name) continue;
    server->variant = aggregated ? type.aggregated : type.per_type;
    return absl::OkStatus();
  }
  return name.Error(fmt::format("\"{}\" is not gRPC; expected GRPC or DELTA_GRPC", name.Text()));
}

// Reads how gRPC itself, within Envoy, would connect. It verifies by its own rules: authority and host.
absl::Status ReadGoogle(const Setting& google, const Surroundings& surroundings, ServerConfig* server) {
  constexpr std::array<std::string_view, 3> kCredentials = {"ssl_credentials", "google_default", "local_credentials"};
  transport::ChannelSettings& channel = server->channel;
  const Setting credentials = google["channel_credentials"];
  const Setting ssl = credentials["ssl_credentials"];
  const Setting plugin = google["channel_credentials_plugin"];
  const Setting stranger = plugin ? plugin : credentials.FirstBesides(kCredentials);
  if (ssl || credentials["google_default"] || stranger) {
    transport::Tls& tls = channel.tls.emplace();
    server->tls_where = (credentials ? credentials : plugin).Where();
    server->verification = ReadAuthorities(ReadDataSource, ssl["root_certs"], surroundings, &tls);
    if (stranger) server->verification.Update(stranger.Error("is not understood"));
    const absl::Status status = ReadIdentity(ReadDataSource, ssl["cert_chain"], ssl["private_key"], surroundings, &tls);
    if (!status.ok()) return status;
  }
  return ReadServerUri(google["target_uri"], &channel);
}

// Reads the first endpoint of a cluster.
absl::Status ReadAddress(const Setting& cluster, transport::ChannelSettings* channel) {
  const Setting locality = cluster["load_assignment"]["endpoints"].First();
  const Setting endpoint = locality["lb_endpoints"].First()["endpoint"]["address"];
  const Setting old = cluster["hosts"].First();  // as v2 had it before load_assignment
  const Setting address = endpoint ? endpoint : old;
  if (const Setting pipe = address["pipe"]["path"]) {
    const std::string_view path = pipe.Text();
    channel->target =
        path.starts_with('@') ? fmt::format("unix-abstract:{}", path.substr(1)) : fmt::format("unix:{}", path);
    return absl::OkStatus();
  }
  const Setting socket = address["socket_address"];
  const std::string_view host = socket["address"].Text();
  const std::string_view port = socket["port_value"].Text();
  if (host.empty() || port.empty()) {
    return cluster.Error("has no address: expected load_assignment with a socket_address");
  }
  const bool v6 = host.find(':') != std::string_view::npos;
  channel->target = v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(channel->target);
  return target.ok() ? absl::OkStatus() : socket.Error(base::Message(target.status()));
}

// Reads the servers of one config source after another.
class Reader {
 public:
  Reader(const Setting& root, const Surroundings& surroundings)
      : surroundings_(surroundings), secrets_(root, surroundings) {
    for (const Setting& cluster : root["static_resources"]["clusters"].Elements()) {
      clusters_.try_emplace(base::ToAbsl(cluster["name"].Text()), cluster);  // of equal names the first counts
    }
  }

  // Reads the servers of an ApiConfigSource, the primary one first: at least one, which says what is wrong.
  std::vector<ServerConfig> Read(const Setting& source, bool aggregated) {
    ServerConfig shared;
    shared.status = ReadVariant(source, aggregated, &shared);
    const Setting list = source["grpc_services"];
    std::vector<Setting> services = list.Elements();
    if (services.empty()) services.push_back(list.First());  // an absent setting, whose error has the line of the list
    std::vector<ServerConfig> servers(services.size(), shared);
    for (std::size_t i = 0; shared.status.ok() && i < services.size(); ++i) {
      servers[i].where = services[i].Where();
      servers[i].status = ReadService(services[i], &servers[i]);
    }
    return servers;
  }

 private:
  absl::Status ReadService(const Setting& service, ServerConfig* server) {
    if (!service) return service.Error("names no service");
    transport::ChannelSettings& channel = server->channel;
    for (const Setting& header : service["initial_metadata"].Elements()) {
      channel.headers.emplace_back(header["key"].Text(), header["value"].Text());
    }
    if (const Setting google = service["google_grpc"]) return ReadGoogle(google, surroundings_, server);
    const Setting envoy = service["envoy_grpc"];
    const Setting name = envoy["cluster_name"];
    if (!name) return name.Error("is missing");
    server->cluster = name.Text();
    channel.authority = envoy["authority"].Text();
    return ReadCluster(name, server);
  }

  absl::Status ReadCluster(const Setting& name, ServerConfig* server) {
    const auto found = clusters_.find(base::ToAbsl(name.Text()));
    if (found == clusters_.end()) {
      return name.Error(fmt::format("static_resources has no cluster \"{}\"", name.Text()));
    }
    const Setting& cluster = found->second;
    const absl::Status status = ReadAddress(cluster, &server->channel);
    if (!status.ok()) return status;
    return ReadTransportSocket(cluster, surroundings_, &secrets_, server);
  }

  const Surroundings& surroundings_;
  Secrets secrets_;
  absl::flat_hash_map<absl::string_view, Setting> clusters_;  // by name
};

}  // namespace

void ReadEnvoyServers(const Setting& root, const Surroundings& surroundings, ServerTable* table) {
  const Setting dynamic = root["dynamic_resources"];
  Reader reader(root, surroundings);
  ServerList ads;
  if (const Setting source = dynamic["ads_config"]) {
    ads = table->Add(reader.Read(source, true));
    table->bootstrap().config_sources["ads_config"] = ads;
  }
  for (const char* const name : {"lds_config", "cds_config"}) {
    const Setting config = dynamic[name];
    if (!config) continue;
    ServerList servers;
    if (config["ads"]) servers = ads;
    if (const Setting source = config["api_config_source"]) servers = table->Add(reader.Read(source, false));
    table->bootstrap().config_sources[name] = std::move(servers);
  }
}

}  // namespace xdscope::config
