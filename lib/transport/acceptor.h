// Takes clients off listening sockets. gRPC 1.51 could do it itself, but stops for good and without a word at the first
// error, and running out of descriptors is one.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "lib/base/descriptor.h"
#include "lib/base/loop.h"
#include "lib/transport/listening.h"

namespace xdscope::transport {

class Acceptor {
 public:
  // Takes a client's connection, which never blocks.
  using Taken = std::function<void(base::Descriptor connection)>;
  // Is told once, with RESOURCE_EXHAUSTED and the system's reason, that clients can no longer be taken.
  using Failed = std::function<void(const absl::Status& why)>;

  // Runs both on the loop, which must outlive it.
  Acceptor(base::Loop& loop, Listening listening, Taken taken, Failed failed);
  // Stops listening; removes the file of a unix socket.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // of what is under way too, which a call may end
};

}  // namespace xdscope::transport
