// What a bootstrap says of the control plane: the servers with their credentials, headers and variants, who asks which
// of them, and the node. Reads Envoy's (and a /config_dump that holds one) and gRPC's xDS bootstrap; both come out as
// one value. Connects nowhere.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/document.h"
#include "lib/config/profile.h"
#include "lib/config/surroundings.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::config {

// One control plane as one part of a bootstrap asks it.
struct ServerConfig {
  // Target, TLS (nullopt: plaintext), authority and headers; certificates already read.
  transport::ChannelSettings channel;
  std::vector<std::string> more_targets;  // further addresses of the same server, tried in this order after the first
  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  std::string cluster;    // Envoy's name for it; empty: it has none
  std::string where;      // "FILE:LINE: path" of the part that names it first
  std::string tls_where;  // the same of the part that asks for TLS; empty: none is asked for
  // Is INVALID_ARGUMENT, "FILE:LINE: path: what", where something is asked of the server's certificate that is not
  // understood or cannot be checked. Nobody may connect by `channel` then, who does not say himself whom to trust.
  absl::Status verification;
  std::vector<std::string> notes;  // "FILE:LINE: path: what" of parts that cannot be followed
  // Is INVALID_ARGUMENT, "FILE:LINE: path: what", where this server cannot be asked, because it is no gRPC, its cluster
  // is missing or has no address, or a credential cannot be read.
  absl::Status status;
};

// Servers by index in Bootstrap::servers, in the order in which they are tried; the later ones are fallbacks, which
// gRPC's bootstrap alone has: Envoy takes no second service.
using ServerList = std::vector<std::size_t>;

// A file that resources come from in place of a server.
struct FileConfig {
  std::string path;
  std::string where;  // "FILE:LINE: path" of the part that names it
};

struct Bootstrap {
  ClientKind client = ClientKind::kEnvoy;  // whose bootstrap it is
  std::string node;                        // wire bytes; empty: it names none
  std::vector<ServerConfig> servers;       // each once, however many parts ask it

  // Who asks whom. A row is a config source that the bootstrap has, by the name of its field: Envoy's "ads_config",
  // "lds_config" and "cds_config", gRPC's "xds_servers". Its list is empty where no server is asked: resources come
  // from `files`, or of an aggregated stream that the bootstrap does not have, which a note says.
  std::map<std::string, ServerList, std::less<>> config_sources;
  std::map<std::string, FileConfig, std::less<>> files;  // Envoy: by config source, "lds_config" or "cds_config"
  // gRPC: who is asked for xdstp: names of an authority. All other names are asked of "xds_servers".
  std::map<std::string, ServerList, std::less<>> authorities;

  std::vector<std::string> static_clusters;  // names of Envoy's own clusters, which come from no server
  // "FILE:LINE: path: what" of parts that are not followed, besides those of a server.
  std::vector<std::string> notes;

  // Returns the server that is asked when only one can be: the first of ads_config, else of cds_config, else of
  // lds_config; of gRPC's bootstrap the first one. Returns nullptr where there is no server at all: Envoy may have all
  // it knows from `files`. The status of what ReadBootstrap() made of one is OK.
  const ServerConfig* MainServer() const;

  // Returns "FILE:LINE: path: what" for each server that is not asked when at most MainServer() is.
  std::vector<std::string> NotesOnOtherServers() const;
};

// Reads what ParseDocument() made of a file. INVALID_ARGUMENT, "FILE:LINE: path: what": it is no bootstrap, names
// neither control plane nor file, its node is bad, or its main server cannot be asked. What is wrong with another
// server is in its status.
absl::StatusOr<Bootstrap> ReadBootstrap(const Document& document, wire::Types& types, const Surroundings& surroundings);

}  // namespace xdscope::config
