#include "lib/config/envoy_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
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
  if (name.Text() == "REST" && !aggregated) {
    server->variant = types::Variant::kRest;
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

// Returns the addresses of a cluster's endpoints: by priority, then as they stand there.
std::vector<Setting> AddressesOf(const Setting& cluster) {
  std::vector<Setting> localities = cluster["load_assignment"]["endpoints"].Elements();
  std::ranges::stable_sort(localities, {}, [](const Setting& locality) {
    std::uint32_t priority = 0;
    return absl::SimpleAtoi(base::ToAbsl(locality["priority"].Text()), &priority) ? priority : 0;
  });
  std::vector<Setting> addresses;
  for (const Setting& locality : localities) {
    for (const Setting& endpoint : locality["lb_endpoints"].Elements()) {
      addresses.push_back(endpoint["endpoint"]["address"]);
    }
  }
  return addresses.empty() ? cluster["hosts"].Elements() : addresses;  // as v2 had it before load_assignment
}

absl::StatusOr<std::string> TargetOf(const Setting& address) {
  if (const Setting pipe = address["pipe"]["path"]) {
    const std::string_view path = pipe.Text();
    return path.starts_with('@') ? fmt::format("unix-abstract:{}", path.substr(1)) : fmt::format("unix:{}", path);
  }
  const Setting socket = address["socket_address"];
  const std::string_view host = socket["address"].Text();
  const std::string_view port = socket["port_value"].Text();
  if (host.empty() || port.empty()) return address.Error("expected a socket_address or a pipe");
  const bool v6 = host.find(':') != std::string_view::npos;
  std::string text = v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(text);
  if (!target.ok()) return socket.Error(base::Message(target.status()));
  return text;
}

// Reads the endpoints of a cluster. One that cannot be asked is left out with a note, unless there is no other.
absl::Status ReadAddresses(const Setting& cluster, ServerConfig* server) {
  absl::Status first_error = cluster.Error("has no address: expected load_assignment with a socket_address");
  std::vector<std::string> targets;
  std::vector<std::string> left_out;
  for (const Setting& address : AddressesOf(cluster)) {
    absl::StatusOr<std::string> target = TargetOf(address);
    if (target.ok()) {
      targets.push_back(*std::move(target));
    } else {
      if (left_out.empty()) first_error = target.status();
      left_out.push_back(fmt::format("{}: left out", base::Message(target.status())));
    }
  }
  if (targets.empty()) return first_error;
  server->channel.target = std::move(targets.front());
  targets.erase(targets.begin());
  server->more_targets = std::move(targets);
  std::ranges::move(left_out, std::back_inserter(server->notes));
  return absl::OkStatus();
}

// Reads the server of one config source after another.
class Reader {
 public:
  Reader(const Setting& root, const Surroundings& surroundings, ServerTable* table)
      : surroundings_(surroundings), table_(*table), secrets_(root, surroundings) {
    for (const Setting& cluster : root["static_resources"]["clusters"].Elements()) {
      // Of equal names the first counts.
      const bool is_new = clusters_.try_emplace(base::ToAbsl(cluster["name"].Text()), cluster).second;
      if (is_new) table_.bootstrap().static_clusters.emplace_back(cluster["name"].Text());
    }
  }

  // Adds the server of an ApiConfigSource, which says what is wrong with it.
  ServerList Add(const Setting& source, bool aggregated) {
    ServerConfig server;
    server.where = source.Where();
    server.status = ReadVariant(source, aggregated, &server);
    const Setting list = source["grpc_services"];
    if (server.status.ok() && server.variant == types::Variant::kRest) {
      const Setting cluster = source["cluster_names"].First();
      server.where = cluster.Where();
      server.status = ReadRest(cluster, &server);
      const std::vector<Setting> clusters = source["cluster_names"].Elements();
      if (clusters.size() > 1) Note(clusters[1], "is not asked: Envoy takes no second cluster here");
    } else if (server.status.ok()) {
      const Setting service = list.First();
      server.where = service.Where();
      server.status = ReadService(service, &server);
      const std::vector<Setting> services = list.Elements();
      if (services.size() > 1) Note(services[1], "is not asked: Envoy takes no second service here");
    }
    return table_.Add({std::move(server)});
  }

  // Takes note of the file that a config source names; both forms of it are Envoy's. False: it names none.
  bool AddFile(const std::string& name, const Setting& config) {
    const Setting path = config["path_config_source"] ? config["path_config_source"]["path"] : config["path"];
    if (!path) return false;
    table_.bootstrap().files[name] = {std::string(path.Text()), path.Where()};
    return true;
  }

  // Takes note of a part that is not followed.
  void Note(const Setting& part, std::string_view what) {
    table_.bootstrap().notes.emplace_back(base::Message(part.Error(what)));
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

  // Reads the cluster that is asked by REST: the same addresses, as URLs.
  absl::Status ReadRest(const Setting& name, ServerConfig* server) {
    server->cluster = name.Text();
    const absl::Status status = ReadCluster(name, server);
    if (!status.ok()) return status;
    const std::string_view scheme = server->channel.tls ? "https" : "http";
    const auto as_url = [scheme](std::string* target) { *target = fmt::format("{}://{}", scheme, *target); };
    as_url(&server->channel.target);
    std::ranges::for_each(server->more_targets, [&](std::string& target) { as_url(&target); });
    const absl::StatusOr<transport::Target> target = transport::ParseTarget(server->channel.target);
    return target.ok() ? absl::OkStatus() : name.Error(base::Message(target.status()));
  }

  absl::Status ReadCluster(const Setting& name, ServerConfig* server) {
    const auto found = clusters_.find(base::ToAbsl(name.Text()));
    if (found == clusters_.end()) {
      return name.Error(fmt::format("static_resources has no cluster \"{}\"", name.Text()));
    }
    const Setting& cluster = found->second;
    const absl::Status status = ReadAddresses(cluster, server);
    if (!status.ok()) return status;
    return ReadTransportSocket(cluster, surroundings_, &secrets_, server);
  }

  const Surroundings& surroundings_;
  ServerTable& table_;
  Secrets secrets_;
  absl::flat_hash_map<absl::string_view, Setting> clusters_;  // by name
};

}  // namespace

void ReadEnvoyServers(const Setting& root, const Surroundings& surroundings, ServerTable* table) {
  const Setting dynamic = root["dynamic_resources"];
  Reader reader(root, surroundings, table);
  ServerList ads;
  if (const Setting source = dynamic["ads_config"]) {
    ads = reader.Add(source, true);
    table->bootstrap().config_sources["ads_config"] = ads;
  }
  for (const char* const name : {"lds_config", "cds_config"}) {
    const Setting config = dynamic[name];
    if (!config) continue;
    ServerList servers;
    if (const Setting source = config["api_config_source"]) {
      servers = reader.Add(source, false);
    } else if (config["ads"]) {
      servers = ads;
      if (servers.empty()) reader.Note(config, "ads without ads_config is asked of nobody: Envoy refuses it");
    } else if (!reader.AddFile(name, config)) {
      reader.Note(config, "is asked of nobody: only api_config_source, path_config_source and ads are");
    }
    table->bootstrap().config_sources[name] = std::move(servers);
  }
}

}  // namespace xdscope::config
