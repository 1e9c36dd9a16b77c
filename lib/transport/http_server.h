// An HTTP/1.1 server: whole requests in, whole answers out, one after the other on each connection. Knows TLS, limits
// and clients that are slow or gone; does not know what paths and bodies mean. Everything here belongs to the loop's
// thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/server.h"

namespace xdscope::transport {

struct HttpRequest {
  std::string method;  // "POST"
  std::string path;    // as it came: "/v3/discovery:clusters"
  std::string peer;    // "127.0.0.1:5432", "[::1]:5432", "unix:"
  std::string body;
};

struct HttpReply {
  int status = 200;
  Bytes body = {};  // JSON; nullptr: empty
  Metadata headers = {};
};

// A request that waits for its answer.
class HttpCall {
 public:
  // Closes the connection where no answer was given.
  virtual ~HttpCall() = default;

  virtual const HttpRequest& request() const = 0;
  // Runs `gone` once, later, when the client leaves before its answer; it may destroy the call. Of a client that
  // speaks TLS this is not always seen.
  virtual void WhenGone(std::function<void()> gone) = 0;
  // Answers, once.
  virtual void Reply(HttpReply reply) = 0;
};

// Returns the body {"error": WHAT}.
Bytes ErrorBody(std::string_view what);

class HttpServer {
 public:
  using Handler = std::function<void(std::unique_ptr<HttpCall> call)>;
  // As Server::Failed.
  using Failed = std::function<void(const absl::Status& why)>;

  struct Limits {
    // A connection may be idle, and headers may take, so long.
    std::chrono::milliseconds idle = std::chrono::minutes(5);
    // A handshake and a body may take so long, and a client may be so long without taking anything of its answer.
    std::chrono::milliseconds patience = std::chrono::seconds(20);
  };

  // Listens. Bodies are bounded by ServerSettings::largest_message; what is about streams does not count. Requests that
  // are no HTTP or too large are answered here. INVALID_ARGUMENT, UNAVAILABLE as Server::Start(). The loop must outlive
  // it.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(base::Loop& loop, const ServerSettings& settings,
                                                           Limits limits, Handler handler, Failed failed);
  // Ends every connection; calls must be gone before.
  virtual ~HttpServer() = default;

  virtual const std::string& address() const = 0;
};

}  // namespace xdscope::transport
