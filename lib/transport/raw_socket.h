// A blocking connection with a time limit on everything: what Probe() looks at its peer with.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/descriptor.h"
#include "lib/transport/target.h"

namespace xdscope::transport {

// An address that a socket can connect to, with its text for messages.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;
};

// Returns all addresses of a target; nothing when there is none or no answer came in time, and then `why` is what the
// system said.
std::vector<Address> Resolve(const Target& target, std::chrono::milliseconds limit, std::string* why);

class RawSocket {
 public:
  // Returns 0, or the errno of the failure (ETIMEDOUT: not within `limit`). `limit` also counts for what follows: it
  // starts anew here.
  int Connect(const Address& address, std::chrono::milliseconds limit);

  // Sends all of `bytes`. Returns false where the connection is broken.
  bool Send(std::string_view bytes);
  // Returns what came next: an empty text when the peer has closed (or reset) the connection, nothing when nothing came
  // in time.
  std::optional<std::string> Receive();

 private:
  // Waits until the socket is ready for `events` of poll(). Returns false when that did not come in time.
  bool Wait(short events) const;

  base::Descriptor socket_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace xdscope::transport
