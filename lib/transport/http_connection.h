// One connection to an HTTP/1.1 server, directly or through a proxy: opened once, then one request after the other. Has
// no time limits: whoever has, closes it. For the .cc files of this folder.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/http_client.h"
#include "lib/transport/http_socket.h"
#include "lib/transport/settings.h"
#include "lib/transport/target.h"

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
  std::unique_ptr<boost::asio::ssl::context> tls;  // nullptr = plaintext
  std::string server_name;                         // for the handshake, and that the certificate must be for
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Opened = std::function<void(const absl::Status&)>;
  // `unheard`: not one byte came, so that the server may never have seen the request.
  using Answered = std::function<void(absl::StatusOr<HttpAnswer> answer, bool unheard)>;

  HttpConnection(base::Loop& loop, std::shared_ptr<const HttpPeer> peer);

  // Connects, through the proxy where there is one, and shakes hands. UNAVAILABLE with the cause.
  void Open(Opened opened);
  // Sends a request and reads its answer. Demands that it is open and the answer to the one before has come.
  void Ask(Request request, Answered answered);
  // Whether another request may follow on it.
  bool stays_open() const { return stays_open_; }
  // Ends it at once: nothing is told any more.
  void Close();

 private:
  using Error = boost::system::error_code;
  using Endpoint = HttpSocket::Plain::endpoint_type;

  // Wraps a step that follows an operation: it does not run once the connection was closed, and keeps it alive.
  template <typename Step>
  auto Then(Step step);
  void Connect(const std::string& where, const boost::asio::ip::tcp::resolver::results_type& found);
  void AskProxy();
  void ShakeHands();
  absl::Status CheckCertificate();
  void EndOpening(const absl::Status& status);
  void ReadHeader();
  void ReadBody();
  void EndAsking(absl::StatusOr<HttpAnswer> answer, bool unheard = false);
  absl::Status FailureOf(const Error& error) const;
  absl::StatusOr<HttpAnswer> TakeAnswer();

  const std::shared_ptr<const HttpPeer> peer_;
  boost::asio::ip::tcp::resolver resolver_;
  HttpSocket socket_;
  std::vector<Endpoint> endpoints_;
  boost::beast::flat_buffer buffer_;
  std::optional<Request> request_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> parser_;
  Opened opened_;
  Answered answered_;
  int interim_ = 0;  // answers of the kind 1xx
  bool stays_open_ = false;
  bool closed_ = false;
};

}  // namespace xdscope::transport
