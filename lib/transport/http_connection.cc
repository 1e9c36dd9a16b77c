#include "lib/transport/http_connection.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "absl/strings/ascii.h"
#include "lib/base/status.h"
#include "lib/transport/http_socket.h"
#include "lib/transport/http_status.h"
#include "lib/transport/inflate.h"
#include "lib/transport/server_certificate.h"

namespace xdscope::transport {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::uint32_t kMostHeaders = 64 << 10;
// What is read at once, and the most that may wait to be parsed: a line of a chunked body, or the headers.
constexpr std::size_t kReadAtOnce = 64 << 10;
constexpr std::size_t kMostUnparsed = 2 * kReadAtOnce;
constexpr int kMostInterim = 10;

absl::Status Unavailable(std::string_view what) {
  return base::Error(absl::StatusCode::kUnavailable, what);
}

std::string_view ToStd(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

bool IsAddress(const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), address) == 1 || inet_pton(AF_INET6, host.c_str(), address) == 1;
}

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower(base::ToAbsl(text));
}

class BeastConnection final : public HttpConnection, public std::enable_shared_from_this<BeastConnection> {
 public:
  BeastConnection(base::Loop& loop, std::shared_ptr<const HttpPeer> peer)
      : peer_(std::move(peer)), resolver_(loop.context()), socket_(loop.context()), buffer_(kMostUnparsed) {
    buffer_.reserve(kReadAtOnce);
  }

  void Open(Opened opened) override;
  void Ask(HttpPost post, Answered answered) override;
  bool stays_open() const override { return stays_open_; }
  void Close() override;

 private:
  using Error = boost::system::error_code;
  using Endpoint = HttpSocket::Plain::endpoint_type;
  using Request = http::request<http::string_body>;

  // Wraps a step that follows an operation: it does not run once the connection was closed, and keeps it alive.
  template <typename Step>
  auto Then(Step step) {
    return [self = shared_from_this(), step = std::move(step)](const Error& error, auto&&... more) mutable {
      if (!self->closed_) step(error, std::forward<decltype(more)>(more)...);
    };
  }
  void Connect(const std::string& where, const asio::ip::tcp::resolver::results_type& found);
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
  asio::ip::tcp::resolver resolver_;
  HttpSocket socket_;
  std::vector<Endpoint> endpoints_;
  boost::beast::flat_buffer buffer_;
  std::optional<Request> request_;
  std::optional<http::response_parser<http::string_body>> parser_;
  Opened opened_;
  Answered answered_;
  int interim_ = 0;  // answers of the kind 1xx
  bool stays_open_ = false;
  bool closed_ = false;
};

void BeastConnection::Close() {
  closed_ = true;
  stays_open_ = false;
  opened_ = nullptr;
  answered_ = nullptr;
  resolver_.cancel();
  Error ignored;
  socket_.plain().close(ignored);
}

// ---- Opening.

void BeastConnection::Open(Opened opened) {
  opened_ = std::move(opened);
  const std::string& host = peer_->proxy ? peer_->proxy->host : peer_->target.host;
  const std::string& port = peer_->proxy ? peer_->proxy->port : peer_->target.port;
  resolver_.async_resolve(host, port, Then([this, host](const Error& error, const auto& found) {
                            if (error) return EndOpening(Unavailable(fmt::format("{}: {}", host, error.message())));
                            Connect(host, found);
                          }));
}

void BeastConnection::Connect(const std::string& where, const asio::ip::tcp::resolver::results_type& found) {
  for (const auto& entry : found) endpoints_.emplace_back(entry.endpoint());
  asio::async_connect(socket_.plain(), endpoints_, Then([this, where](const Error& error, const auto&) {
                        if (error) {
                          return EndOpening(Unavailable(
                              peer_->proxy ? fmt::format("proxy {}: {}", where, error.message()) : error.message()));
                        }
                        Error ignored;
                        socket_.plain().set_option(asio::ip::tcp::no_delay(true), ignored);
                        if (peer_->proxy && peer_->tls) return AskProxy();
                        peer_->tls ? ShakeHands() : EndOpening(absl::OkStatus());
                      }));
}

// Asks the proxy for a tunnel. What follows its answer belongs to the server, so that nothing behind it may be read.
void BeastConnection::AskProxy() {
  const std::string server = peer_->target.HostPort();
  Request& request = request_.emplace(http::verb::connect, server, 11);
  request.set(http::field::host, server);
  if (!peer_->proxy->authorization.empty()) {
    request.set(http::field::proxy_authorization, peer_->proxy->authorization);
  }
  auto answer = std::make_shared<http::response_parser<http::empty_body>>();
  answer->skip(true);
  answer->header_limit(kMostHeaders);
  http::async_write(socket_, *request_, Then([this, answer](const Error& sent, std::size_t) {
                      if (sent)
                        return EndOpening(Unavailable(fmt::format("proxy {}: {}", peer_->proxy->host, sent.message())));
                      http::async_read_header(
                          socket_, buffer_, *answer, Then([this, answer](const Error& error, std::size_t) {
                            const std::string& proxy = peer_->proxy->host;
                            if (error)
                              return EndOpening(Unavailable(fmt::format("proxy {}: {}", proxy, error.message())));
                            const unsigned status = answer->get().result_int();
                            if (status / 100 == 2) return ShakeHands();
                            const std::string words = HttpWords(static_cast<int>(status));
                            EndOpening(Unavailable(fmt::format("proxy {}: {}, asked for a connection", proxy, words)));
                          }));
                    }));
}

void BeastConnection::ShakeHands() {
  HttpSocket::Tls& tls = socket_.StartTls(peer_->tls.get());
  if (!IsAddress(peer_->server_name)) SSL_set_tlsext_host_name(tls.native_handle(), peer_->server_name.c_str());
  tls.async_handshake(asio::ssl::stream_base::client, Then([this](const Error& error) {
                        if (!error) return EndOpening(CheckCertificate());
                        const char* reason = ERR_reason_error_string(static_cast<unsigned long>(error.value()));
                        const std::string why = reason == nullptr ? error.message() : reason;
                        EndOpening(Unavailable(fmt::format("the TLS handshake failed: {}", why)));
                      }));
}

absl::Status BeastConnection::CheckCertificate() {
  HttpSocket::Tls& tls = socket_.StartedTls();
  const Certificate certificate(SSL_get1_peer_certificate(tls.native_handle()));
  if (certificate == nullptr) return Unavailable("the server shows no certificate");
  switch (CompareCertificate(*certificate, peer_->server_name, *peer_->settings.tls)) {
    case Mismatch::kNone:
      return absl::OkStatus();
    case Mismatch::kName:
      return Unavailable("the server's certificate is for another name");
    case Mismatch::kHash:
      return Unavailable("the server's certificate is another one than is asked for");
  }
  return Unavailable("the server's certificate was not compared");
}

void BeastConnection::EndOpening(const absl::Status& status) {
  stays_open_ = status.ok();
  const Opened opened = std::exchange(opened_, nullptr);  // it may close this
  opened(status);
}

// ---- Asking.

void BeastConnection::Ask(HttpPost post, Answered answered) {
  request_.emplace(http::verb::post, post.target, 11, std::move(post.body));
  for (const auto& [name, value] : post.headers) request_->insert(name, value);
  request_->prepare_payload();
  answered_ = std::move(answered);
  interim_ = 0;
  http::async_write(socket_, *request_, Then([this](const Error& error, std::size_t) {
                      request_.reset();
                      // A server that does not want to read all of a request answers and closes, so its answer may be
                      // there all the same.
                      if (error && error != asio::error::broken_pipe && error != asio::error::connection_reset) {
                        return EndAsking(FailureOf(error), true);
                      }
                      ReadHeader();
                    }));
}

void BeastConnection::ReadHeader() {
  parser_.emplace();
  parser_->header_limit(kMostHeaders);
  parser_->body_limit(peer_->settings.max_message);
  http::async_read_header(socket_, buffer_, *parser_, Then([this](const Error& error, std::size_t) {
                            if (error) return EndAsking(FailureOf(error), !parser_->got_some());
                            if (parser_->get().result_int() / 100 != 1) return ReadBody();
                            if (++interim_ > kMostInterim) return EndAsking(FailureOf(http::error::bad_status));
                            ReadHeader();
                          }));
}

void BeastConnection::ReadBody() {
  http::async_read(socket_, buffer_, *parser_, Then([this](const Error& error, std::size_t) {
                     if (error) return EndAsking(FailureOf(error));
                     stays_open_ = parser_->keep_alive();
                     EndAsking(TakeAnswer());
                   }));
}

absl::StatusOr<HttpAnswer> BeastConnection::TakeAnswer() {
  auto message = parser_->release();
  HttpAnswer answer;
  answer.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    answer.headers.emplace_back(Lower(ToStd(field.name_string())), ToStd(field.value()));
  }
  const std::string packing = Lower(ToStd(message[http::field::content_encoding]));
  if (packing == "gzip" || packing == "x-gzip") {
    absl::StatusOr<std::string> body = Gunzip(message.body(), peer_->settings.max_message);
    if (!body.ok()) return body.status();
    message.body() = *std::move(body);
  } else if (!packing.empty() && packing != "identity") {
    return base::Error(absl::StatusCode::kDataLoss, fmt::format("the body comes packed as '{}'", packing));
  }
  answer.body = std::make_shared<const std::string>(std::move(message.body()));
  return answer;
}

absl::Status BeastConnection::FailureOf(const Error& error) const {
  if (error == http::error::body_limit) {
    const auto said = parser_->content_length();
    const std::size_t most = peer_->settings.max_message;
    return TooLarge(said ? static_cast<std::size_t>(*said) : most, most, said ? "" : " or more");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return base::Error(absl::StatusCode::kDataLoss, "headers of more than 64 kB");
  }
  if (error == http::error::end_of_stream || error == asio::error::connection_reset ||
      error == asio::error::broken_pipe) {
    return Unavailable("the server closed the connection before it answered");
  }
  if (error == http::error::partial_message || error == asio::ssl::error::stream_truncated) {
    return Unavailable(parser_->is_header_done() ? "the connection was lost in the middle of the answer"
                                                 : "the server closed the connection before it answered");
  }
  if (error.category() == make_error_code(http::error::bad_version).category()) {
    return Unavailable(fmt::format("what answers is no HTTP/1.1: {}", error.message()));
  }
  return Unavailable(error.message());
}

void BeastConnection::EndAsking(absl::StatusOr<HttpAnswer> answer, bool unheard) {
  if (!answer.ok()) stays_open_ = false;
  parser_.reset();
  const Answered answered = std::exchange(answered_, nullptr);  // it may close this
  answered(std::move(answer), unheard);
}

}  // namespace

std::shared_ptr<HttpConnection> HttpConnection::Make(base::Loop& loop, std::shared_ptr<const HttpPeer> peer) {
  return std::make_shared<BeastConnection>(loop, std::move(peer));
}

}  // namespace xdscope::transport
