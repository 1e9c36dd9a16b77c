// One stream on gRPC's completion queue. Two threads meet here: the loop's, which owns the stream and starts every
// operation, and the channel's, which takes finished operations off the queue (CompleteOperation) and posts them into
// the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "lib/base/loop.h"
#include "lib/transport/stream.h"

namespace grpc {
class Channel;
class CompletionQueue;
}  // namespace grpc

namespace xdscope::transport {

// What a channel and its streams share. Streams hold on to it until their last operation is back.
struct GrpcConnection {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<grpc::CompletionQueue> queue;
  base::Loop& loop;
  std::string target;
  Metadata headers;       // checked: gRPC aborts on a bad one
  std::string authority;  // of each stream; empty: the channel's
  std::chrono::milliseconds connect_timeout{0};
  std::size_t max_message = 0;
  bool fail_fast = true;

  explicit GrpcConnection(base::Loop& on) : loop(on) {}
  ~GrpcConnection();
};

// Opens a stream of `method`, as Channel::OpenStream() promises it.
std::unique_ptr<Stream> OpenGrpcStream(std::shared_ptr<GrpcConnection> connection, const std::string& method,
                                       StreamEvents& events);

// Called on the queue's thread when the operation with this tag has come back from the queue.
void CompleteOperation(void* tag, bool ok);

}  // namespace xdscope::transport
