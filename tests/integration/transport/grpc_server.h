// A gRPC server in the test's own process, over raw bytes, on a free port of 127.0.0.1. What a stream does is its
// method:
//   /test/Echo    every message comes back; OK after the client's half-close
//   /test/Big     every message is a number: as many bytes come back
//   /test/Mute    reads, never writes; ends with OK after the client's half-close
//   /test/Deaf    reads, never writes, never ends
//   /test/Xds     the answer to the first message is the response; OK after the client's half-close
//   /test/DeafXds the same, but never ends
//   /test/Refuse  ends at once: PERMISSION_DENIED "not you", with trailing metadata
//   /test/One     one message, then OK, whatever the client does
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/transport/stream.h"

namespace xdscope::integration {

// What arrived at the server, of all its streams.
struct Arrived {
  std::vector<std::string> messages;
  transport::Metadata headers;  // of the last stream
  std::string authority;
  int half_closes = 0;
  int cancelled = 0;  // streams that the client reset
  int done = 0;
};

class GrpcServer {
 public:
  explicit GrpcServer(std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials(),
                      const std::string& address = "127.0.0.1:0", std::string response = "");
  ~GrpcServer();

  int port() const { return port_; }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

  Arrived arrived() const;
  // Waits until `streams` streams have ended on the server's side; false after five seconds.
  bool WaitUntilDone(int streams) const;

 private:
  class Service;
  class Reactor;

  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace xdscope::integration
