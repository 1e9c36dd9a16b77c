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

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;
};

// All addresses of a target; empty when there is none or no answer came in time, then `why` says what the system said.
std::vector<Address> Resolve(const Target& target, std::chrono::milliseconds limit, std::string* why);

class RawSocket {
 public:
  // Returns 0, or the errno of the failure (ETIMEDOUT: not within `limit`). `limit` also counts for what follows: it
  // starts anew here.
  int Connect(const Address& address, std::chrono::milliseconds limit);

  // False: the connection is broken.
  bool Send(std::string_view bytes);
  // What came; empty: the peer has closed (or reset) the connection; nullopt: nothing came in time.
  std::optional<std::string> Receive();

 private:
  bool Wait(short events) const;  // false: not in time

  base::Descriptor socket_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace xdscope::transport
