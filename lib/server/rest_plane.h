// The REST half of a control plane: answers POST requests for each type from an inventory, with 304 where the client
// has the version already, and on request only once that has changed (long poll). Knows paths and JSON; what a request
// asks for is protocol::ServerSession's business, as on a stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/server/control_plane.h"
#include "lib/server/inventory.h"
#include "lib/transport/http_server.h"
#include "lib/wire/type.h"

namespace xdscope::server {

class RestPlane {
 public:
  struct Options {
    bool v2 = false;                    // serve the v2 paths too
    std::chrono::milliseconds hold{0};  // how long a request waits for a change before it gets a 304
    std::chrono::milliseconds delay{0};
    std::function<std::uint64_t()> next_id;  // numbers clients
  };

  // All must outlive it; so must the server that its calls belong to.
  RestPlane(base::Clock& clock, Inventory& inventory, Observer& observer, wire::Types& types, Options options);
  // Leaves the requests that wait without an answer.
  ~RestPlane();

  // Takes a request that transport::HttpServer hands over. Another method than POST is answered by 405, an unknown path
  // by 404, a body that is no request for this type by 400, each with {"error": …}.
  void Take(std::unique_ptr<transport::HttpCall> call);

  // Answers who waited for what has changed.
  void Push();

 private:
  class Poll;

  absl::StatusOr<std::string> ReadRequest(std::string_view text, types::Api api);
  transport::Bytes BodyOf(const protocol::ServerResponse& answer, types::Api api);

  base::Clock& clock_;
  Inventory& inventory_;
  Observer& observer_;
  wire::Types& types_;
  const Options options_;
  std::list<std::unique_ptr<Poll>> polls_;
  // Bodies with everything of a type, by version and URL: clients that poll get the same one.
  std::map<std::string, transport::Bytes, std::less<>> bodies_;
};

}  // namespace xdscope::server
