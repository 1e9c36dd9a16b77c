// Puts servers into a bootstrap, each once: parts that ask the same server with the same credentials, headers and
// variant share one entry, so that whoever connects opens one connection. For the .cc files of this folder.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/config/bootstrap.h"

namespace xdscope::config {

class ServerTable {
 public:
  // Fills the servers of `bootstrap`, which must outlive the table.
  explicit ServerTable(Bootstrap* bootstrap) : bootstrap_(*bootstrap) {}

  // Adds servers and returns their indexes, in that order. One that cannot be asked is never equal to another.
  ServerList Add(std::vector<ServerConfig> servers);
  Bootstrap& bootstrap() { return bootstrap_; }

 private:
  // All that tells servers apart. Looked up by hash: a gRPC bootstrap may have a thousand authorities.
  using Key = std::tuple<std::string, std::vector<std::string>, std::string, std::string, transport::Metadata,
                         types::Variant, types::Api, bool, transport::Tls, std::string>;
  static Key KeyOf(const ServerConfig& server);

  Bootstrap& bootstrap_;
  absl::flat_hash_map<Key, std::size_t> known_;
};

}  // namespace xdscope::config
