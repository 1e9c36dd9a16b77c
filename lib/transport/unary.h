// A unary call: on the wire a stream with one message each way, so any Channel can make one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/transport/stream.h"

namespace xdscope::transport {

class UnaryCall final : private StreamEvents {
 public:
  using Connected = std::function<void()>;
  using Done = std::function<void(absl::StatusOr<Bytes>)>;

  // Starts the call. Runs `connected` where OnConnected() would be told; it must not destroy the call. Runs `done`
  // once, later, with the answer or with what OnClosed() would have said; where the server ended with OK and without an
  // answer, with nullptr; INTERNAL when it gave several. `done` may destroy the call. Destroying the call before
  // cancels it, and `done` does not run.
  UnaryCall(Channel& channel, const std::string& method, std::string request, Connected connected, Done done);

 private:
  void OnConnected() override { connected_(); }
  void OnMessage(Bytes message) override;
  void OnWritten() override {}
  void OnClosed(const absl::Status& status, const Metadata& trailing) override;

  Connected connected_;
  Done done_;
  Bytes answer_;
  int answers_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace xdscope::transport
