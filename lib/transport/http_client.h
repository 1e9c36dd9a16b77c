// A client of one HTTP/1.1 server: POST requests with a body, each answered whole. Keeps connections open between
// requests, and opens another one for a request that finds all of them at work. Knows TLS, proxies and limits; does not
// know what the bodies mean. Everything here belongs to the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/settings.h"
#include "lib/transport/stream.h"

namespace xdscope::transport {

struct HttpAnswer {
  int status = 0;
  Metadata headers;  // names in lower case, in the order of the wire
  Bytes body;        // unpacked where it came packed; never nullptr
};

// A request that is under way. Destroying it gives the request up: nothing follows.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
};

class HttpClient {
 public:
  // What happens to one request. Either may destroy the exchange.
  struct Told {
    // There is a connection, and the request goes out on it. Not called for a request that fails before.
    std::function<void()> connected = [] {};
    // The end, once: the answer, whatever its status is, or: UNAVAILABLE no connection, with the cause (or lost later,
    // or what answers is no HTTP), DEADLINE_EXCEEDED no connection or no whole answer in time, OUT_OF_RANGE a body
    // larger than the limit, DATA_LOSS headers without end, or a packed body that is damaged.
    std::function<void(absl::StatusOr<HttpAnswer>)> done;
  };

  // Its exchanges must be gone before.
  virtual ~HttpClient() = default;

  // Sends `body` (JSON) to a path behind the target's prefix. Nothing is told inside this call.
  virtual std::unique_ptr<HttpExchange> Post(const std::string& path, std::string body, Told told) = 0;
};

// Makes a client that connects with its first request. INVALID_ARGUMENT for a target, a header, a proxy or a
// certificate that can never work; NOT_FOUND when the system's certificate authorities are wanted and there are none.
// The loop must outlive it.
absl::StatusOr<std::unique_ptr<HttpClient>> ConnectHttp(base::Loop& loop, ChannelSettings settings);

}  // namespace xdscope::transport
