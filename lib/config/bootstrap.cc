#include "lib/config/bootstrap.h"

#include <array>

#include <fmt/format.h>

#include "lib/config/credentials.h"
#include "lib/config/node.h"
#include "lib/config/place.h"
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

absl::Status ReadServerUri(const Place& uri, transport::ChannelSettings* channel) {
  const absl::StatusOr<transport::Target> target = transport::ParseTarget(uri.Text());
  if (!target.ok()) return uri.Error(base::Message(target.status()));
  channel->target = uri.Text();
  return absl::OkStatus();
}

// Reads one Envoy bootstrap.
class EnvoyReader {
 public:
  EnvoyReader(const Place& root, const Surroundings& surroundings) : root_(root), surroundings_(surroundings) {}

  absl::Status Read(Bootstrap* bootstrap) const {
    const Place dynamic = root_["dynamic_resources"];
    const Place ads = dynamic["ads_config"];
    const Place cds = dynamic["cds_config"]["api_config_source"];
    const Place lds = dynamic["lds_config"]["api_config_source"];
    const Place source = ads ? ads : cds ? cds : lds;
    if (!source) return dynamic.Error("names no control plane: no ads_config, cds_config or lds_config over gRPC");
    absl::Status status = ReadVariant(source, static_cast<bool>(ads), bootstrap);
    if (status.ok()) status = ReadService(source, bootstrap);
    return status;
  }

 private:
  static absl::Status ReadVariant(const Place& source, bool aggregated, Bootstrap* bootstrap) {
    if (source["transport_api_version"].Text() == "V2") bootstrap->api = types::Api::kV2;
    const Place name = source["api_type"];
    for (const ApiType& type : kApiTypes) {
      if (name.Text() != type.name) continue;
      bootstrap->variant = aggregated ? type.aggregated : type.per_type;
      return absl::OkStatus();
    }
    return name.Error(fmt::format("\"{}\" is not gRPC; expected GRPC or DELTA_GRPC", name.Text()));
  }

  absl::Status ReadService(const Place& source, Bootstrap* bootstrap) const {
    const Place service = source["grpc_services"].First();
    if (!service) return service.Error("names no service");
    for (const Place& header : service["initial_metadata"].All()) {
      bootstrap->channel.headers.emplace_back(header["key"].Text(), header["value"].Text());
    }
    if (const Place google = service["google_grpc"]) return ReadGoogle(google, bootstrap);
    const Place envoy = service["envoy_grpc"];
    const Place name = envoy["cluster_name"];
    if (!name) return name.Error("is missing");
    bootstrap->cluster = name.Text();
    const absl::Status status = ReadCluster(name, bootstrap);
    // The authority of the service is that of the requests; with TLS the certificate's name comes first.
    if (bootstrap->channel.authority.empty()) bootstrap->channel.authority = envoy["authority"].Text();
    return status;
  }

  absl::Status ReadGoogle(const Place& google, Bootstrap* bootstrap) const {
    const Place credentials = google["channel_credentials"];
    const Place ssl = credentials["ssl_credentials"];
    if (ssl || credentials["google_default"]) {
      transport::Tls tls;
      const struct {
        Place source;
        std::string* pem;
      } parts[] = {
          {ssl["root_certs"], &tls.ca_pem}, {ssl["cert_chain"], &tls.cert_pem}, {ssl["private_key"], &tls.key_pem}};
      for (const auto& part : parts) {
        absl::StatusOr<std::string> pem = ReadDataSource(part.source, surroundings_);
        if (!pem.ok()) return pem.status();
        *part.pem = *std::move(pem);
      }
      bootstrap->channel.tls = std::move(tls);
    }
    return ReadServerUri(google["target_uri"], &bootstrap->channel);
  }

  absl::Status ReadCluster(const Place& name, Bootstrap* bootstrap) const {
    for (const Place& cluster : root_["static_resources"]["clusters"].All()) {
      if (cluster["name"].Text() != name.Text()) continue;
      const absl::Status status = ReadAddress(cluster, &bootstrap->channel);
      if (!status.ok()) return status;
      return ReadTransportSocket(cluster["transport_socket"], surroundings_, &bootstrap->channel, &bootstrap->notes);
    }
    return name.Error(fmt::format("static_resources has no cluster \"{}\"", name.Text()));
  }

  static absl::Status ReadAddress(const Place& cluster, transport::ChannelSettings* channel) {
    const Place locality = cluster["load_assignment"]["endpoints"].First();
    const Place endpoint = locality["lb_endpoints"].First()["endpoint"]["address"];
    const Place old = cluster["hosts"].First();  // before load_assignment
    const Place address = endpoint ? endpoint : old;
    if (const Place pipe = address["pipe"]["path"]) {
      const std::string path = pipe.Text();
      channel->target =
          path.starts_with('@') ? fmt::format("unix-abstract:{}", path.substr(1)) : fmt::format("unix:{}", path);
      return absl::OkStatus();
    }
    const Place socket = address["socket_address"];
    const std::string host = socket["address"].Text();
    const std::string port = socket["port_value"].Text();
    if (host.empty() || port.empty())
      return cluster.Error("has no address: expected load_assignment with a socket_address");
    const bool v6 = host.find(':') != std::string::npos;
    channel->target = v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
    const absl::StatusOr<transport::Target> target = transport::ParseTarget(channel->target);
    return target.ok() ? absl::OkStatus() : socket.Error(base::Message(target.status()));
  }

  const Place& root_;
  const Surroundings& surroundings_;
};

// Reads gRPC's bootstrap (gRFC A27): the first server, and of its credentials the first kind that we know.
class GrpcReader {
 public:
  GrpcReader(const Place& root, const Surroundings& surroundings) : root_(root), surroundings_(surroundings) {}

  absl::Status Read(Bootstrap* bootstrap) const {
    bootstrap->client = ClientKind::kGrpc;
    const Place server = root_["xds_servers"].First();
    if (!server) return server.Error("names no server");
    const absl::Status status = ReadServerUri(server["server_uri"], &bootstrap->channel);
    return status.ok() ? ReadCredentials(server["channel_creds"], bootstrap) : status;
  }

 private:
  absl::Status ReadCredentials(const Place& list, Bootstrap* bootstrap) const {
    for (const Place& credentials : list.All()) {
      const std::string type = credentials["type"].Text();
      if (type == "insecure") return absl::OkStatus();
      if (type == "tls") return ReadTls(credentials["config"], &bootstrap->channel);
      if (type != "google_default") continue;
      bootstrap->channel.tls.emplace();
      const absl::Status note =
          credentials["type"].Error("the account's token is not sent; give -H 'authorization: …'");
      bootstrap->notes.emplace_back(base::Message(note));
      return absl::OkStatus();
    }
    return list.Error("expected credentials of type insecure, tls or google_default");
  }

  absl::Status ReadTls(const Place& config, transport::ChannelSettings* channel) const {
    transport::Tls tls;
    const struct {
      std::string_view name;
      std::string* pem;
    } parts[] = {
        {"ca_certificate_file", &tls.ca_pem}, {"certificate_file", &tls.cert_pem}, {"private_key_file", &tls.key_pem}};
    for (const auto& part : parts) {
      absl::StatusOr<std::string> pem = ReadNamedFile(config[part.name], surroundings_);
      if (!pem.ok()) return pem.status();
      *part.pem = *std::move(pem);
    }
    channel->tls = std::move(tls);
    return absl::OkStatus();
  }

  const Place& root_;
  const Surroundings& surroundings_;
};

}  // namespace

absl::StatusOr<Bootstrap> ReadBootstrap(const Value& document, std::string_view file, const schema::Schema& schema,
                                        const Surroundings& surroundings) {
  const Value* found = FindBootstrap(document);
  if (found == nullptr) return ErrorAt(file, 0, "", "this /config_dump has no bootstrap");
  const Place root(found, file, "");
  const bool is_grpc = static_cast<bool>(root["xds_servers"]);
  if (!is_grpc && !root["dynamic_resources"]) {
    return ErrorAt(file, 0, "", "is no bootstrap: neither dynamic_resources (Envoy) nor xds_servers (gRPC)");
  }
  Bootstrap bootstrap;
  const absl::Status status =
      is_grpc ? GrpcReader(root, surroundings).Read(&bootstrap) : EnvoyReader(root, surroundings).Read(&bootstrap);
  if (!status.ok()) return status;
  if (root["node"]) {
    absl::StatusOr<std::string> node = EncodeNode(*found, file, schema);
    if (!node.ok()) return node.status();
    bootstrap.node = *std::move(node);
  }
  return bootstrap;
}

}  // namespace xdscope::config
