// The address that a server listens on, and the sockets that listen there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/descriptor.h"
#include "lib/transport/target.h"

namespace xdscope::transport {

// Reads "HOST:PORT", "[::1]:PORT", ":PORT" (every address) or "unix:/path". INVALID_ARGUMENT for anything else.
absl::StatusOr<Target> ParseListenAddress(std::string_view text);

// Sockets that listen on one address; a name such as localhost may have two. They never block.
struct Listening {
  std::vector<base::Descriptor> sockets;
  int port = 0;      // that all of them have; 0 for unix
  std::string file;  // of a unix socket: whoever closes it removes it
};

// Listens. UNAVAILABLE with the system's reason where it does not allow that: "127.0.0.1:18000: address already in
// use".
absl::StatusOr<Listening> Listen(const Target& address);

}  // namespace xdscope::transport
