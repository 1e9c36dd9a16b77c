// One stream of a client on gRPC's completion queue, from the server's side. Two threads meet here as in grpc_stream.h:
// the loop's, which owns the call and starts every operation, and the server's, which takes finished operations off the
// queue (CompleteServerOperation) and posts them into the loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "lib/base/loop.h"
#include "lib/transport/server.h"

namespace grpc {
class AsyncGenericService;
class Server;
class ServerCompletionQueue;
}  // namespace grpc

namespace xdscope::transport {

class ServerCall;

// What a server and its calls share. Calls hold on to it until their last operation is back.
struct GrpcService {
  base::Loop& loop;
  Server::Handler handler;
  bool stopping = false;                  // takes no more streams
  absl::flat_hash_set<ServerCall*> open;  // streams that have not ended
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::AsyncGenericService> service;
  std::unique_ptr<grpc::Server> server;

  explicit GrpcService(base::Loop& on);
  ~GrpcService();
};

// Takes one more stream when one comes and then asks for the next, until `stopping`.
void AcceptStream(std::shared_ptr<GrpcService> service);

// Closes all streams that are open, as ServerStream::Close() does; of many some at once, so that the loop has time for
// other things. The loop must outlive this.
void CloseStreams(const GrpcService& service, const absl::Status& status);
// Forgets all streams that are open: they have no more events and start no more operations, and end with the server.
void AbandonStreams(GrpcService* service);

// Called on the queue's thread when the operation with this tag has come back from the queue.
void CompleteServerOperation(void* tag, bool ok);

}  // namespace xdscope::transport
