// One connection to an HTTP/1.1 server, directly or through a proxy: opened once, then one request after the other. Has
// no time limits: whoever has, closes it. For the .cc files of this folder.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/http_client.h"
#include "lib/transport/settings.h"
#include "lib/transport/target.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {

struct HttpProxy {
  std::string host;
  std::string port;
  std::string authorization;  // the value of the header; empty = none
};

// Who is connected to, and how: what all connections of a client have in common.
struct HttpPeer {
  Target target;
  ChannelSettings settings;  // checked
  std::optional<HttpProxy> proxy;
  SslContext tls;           // nullptr = plaintext
  std::string server_name;  // for the handshake, and that the certificate must be for
};

struct HttpPost {
  std::string target;  // of the first line: a path, or for a proxy a URL
  Metadata headers;    // without those that say the body's length
  std::string body;
};

class HttpConnection {
 public:
  using Opened = std::function<void(const absl::Status&)>;
  // `unheard`: not one byte came, so that the server may never have seen the request.
  using Answered = std::function<void(absl::StatusOr<HttpAnswer> answer, bool unheard)>;

  static std::shared_ptr<HttpConnection> Make(base::Loop& loop, std::shared_ptr<const HttpPeer> peer);
  virtual ~HttpConnection() = default;

  // Connects, through the proxy where there is one, and shakes hands. UNAVAILABLE with the cause.
  virtual void Open(Opened opened) = 0;
  // Sends a request and reads its answer. Demands that it is open and the answer to the one before has come.
  virtual void Ask(HttpPost post, Answered answered) = 0;
  // Whether another request may follow on it.
  virtual bool stays_open() const = 0;
  // Ends it at once: nothing is told any more.
  virtual void Close() = 0;
};

}  // namespace xdscope::transport
