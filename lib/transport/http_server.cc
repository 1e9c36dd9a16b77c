#include "lib/transport/http_server.h"

#include <netdb.h>
#include <openssl/ssl.h>

#include <array>
#include <list>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "absl/strings/match.h"
#include "lib/base/status.h"
#include "lib/transport/acceptor.h"
#include "lib/transport/http_socket.h"
#include "lib/transport/listening.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using Error = boost::system::error_code;

constexpr std::uint32_t kMostHeaders = 64 << 10;
constexpr std::size_t kMostUnparsed = 128 << 10;
constexpr std::chrono::seconds kFarewell{1};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string ToText(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::string PeerOf(const HttpSocket::Plain& socket) {
  Error error;
  const auto endpoint = socket.remote_endpoint(error);
  const auto* address = reinterpret_cast<const sockaddr*>(endpoint.data());
  if (error || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return "unix:";
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(address, static_cast<socklen_t>(endpoint.size()), host.data(), host.size(), port.data(), port.size(),
              NI_NUMERICHOST | NI_NUMERICSERV);
  const bool v6 = address->sa_family == AF_INET6;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", host.data(), v6 ? "]" : "", port.data());
}

class Connection;

// What connections share with their server.
struct Shared {
  base::Loop& loop;
  HttpServer::Limits limits;
  std::size_t largest_body;
  HttpServer::Handler handler;
  SslContext tls = {};
  std::list<std::weak_ptr<Connection>> connections = {};
};

// Reads a request, hands it over, writes the answer, reads the next.
class Connection : public std::enable_shared_from_this<Connection> {
  // Wraps a step that follows an operation: it runs where that went well, and an error ends the connection.
  template <typename Step>
  auto Then(Step step) {
    return [self = shared_from_this(), step = std::move(step)](const Error& error, auto&&... more) mutable {
      if (self->closed_) return;
      if (error) return self->Close();
      step(std::forward<decltype(more)>(more)...);
    };
  }

 public:
  Connection(std::shared_ptr<Shared> shared, HttpSocket::Plain plain)
      : shared_(std::move(shared)), socket_(std::move(plain)), buffer_(kMostUnparsed), peer_(PeerOf(socket_.plain())) {}

  void Start(std::list<std::weak_ptr<Connection>>::iterator place) {
    place_ = place;
    if (shared_->tls == nullptr) return ReadHeader();
    Limit(shared_->limits.patience);
    socket_.StartTls(shared_->tls.get()).async_handshake(asio::ssl::stream_base::server, Then([this] {
                                                           ReadHeader();
                                                         }));
  }

  // Ends it at once; nothing is told any more.
  void Close() {
    if (std::exchange(closed_, true)) return;
    gone_ = nullptr;
    limit_.Cancel();
    Error ignored;
    socket_.plain().close(ignored);
    shared_->connections.erase(place_);
  }

  void WhenGone(std::function<void()> gone) {
    gone_ = std::move(gone);
    WatchForEnd();
  }

  void Reply(HttpReply reply) {
    gone_ = nullptr;
    if (closed_) return;
    Error ignored;
    socket_.plain().cancel(ignored);  // the watch for the client's end
    reply_ = std::move(reply);
    head_.emplace(static_cast<http::status>(reply_.status), 11);
    for (const auto& [name, value] : reply_.headers) head_->set(name, value);
    // A 304 has the length of what it stands for, or none (RFC 9110, 8.6).
    if (reply_.status != 304) {
      head_->set(http::field::content_type, "application/json");
      head_->content_length(reply_.body == nullptr ? 0 : reply_.body->size());
    }
    head_->keep_alive(keep_alive_);
    serializer_.emplace(*head_);
    Limit(shared_->limits.patience);
    http::async_write_header(socket_, *serializer_, Then([this](std::size_t) { WriteBody(); }));
  }

 private:
  // Gives whoever is on the other side so long for what comes next.
  void Limit(std::chrono::milliseconds time) {
    limit_ = shared_->loop.After(time, [this](base::Time) { Close(); });
  }

  void ReadHeader() {
    Limit(shared_->limits.idle);
    parser_.emplace();
    parser_->header_limit(kMostHeaders);
    parser_->body_limit(shared_->largest_body);
    http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](const Error& error, std::size_t) {
      if (self->closed_) return;
      error ? self->Refuse(error) : self->Continue();
    });
  }

  // A client may wait to be asked for its body.
  void Continue() {
    Limit(shared_->limits.patience);
    const bool waits = absl::EqualsIgnoreCase(ToText(parser_->get()[http::field::expect]), "100-continue");
    if (!waits) return ReadBody();
    asio::async_write(socket_, asio::buffer(kContinue), Then([this](std::size_t) { ReadBody(); }));
  }

  void ReadBody() {
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](const Error& error, std::size_t) {
      if (self->closed_) return;
      error ? self->Refuse(error) : self->HandOver();
    });
  }

  // What is no request gets an answer where one is of use, and ends the connection.
  void Refuse(const Error& error) {
    if (error == http::error::end_of_stream ||
        error.category() != make_error_code(http::error::bad_version).category()) {
      return Close();
    }
    keep_alive_ = false;
    const bool large = error == http::error::body_limit;
    const bool headers = error == http::error::header_limit || error == http::error::buffer_overflow;
    const std::string what = large     ? fmt::format("a body may have {} bytes", shared_->largest_body)
                             : headers ? fmt::format("headers may have {} bytes", kMostHeaders)
                                       : error.message();
    Reply({.status = large ? 413 : headers ? 431 : 400, .body = ErrorBody(what)});
  }

  void HandOver();

  // Of a client that waits for its answer nothing is read, so that its end shows only where one looks. What it may say
  // meanwhile is its next request.
  void WatchForEnd() {
    socket_.plain().async_wait(HttpSocket::Plain::wait_read, [weak = weak_from_this()](const Error& error) {
      const auto self = weak.lock();
      if (error || self == nullptr || self->closed_ || self->gone_ == nullptr) return;
      Error ignored;
      if (self->socket_.plain().available(ignored) > 0) return;
      const auto gone = std::exchange(self->gone_, nullptr);
      self->Close();
      gone();
    });
  }

  void WriteBody() {
    if (reply_.body == nullptr || reply_.body->empty() || reply_.status == 304) return EndReply();
    // Asked after each piece that was taken: the client is not asleep.
    const auto progress = [this](const Error& error, std::size_t) -> std::size_t {
      if (error) return 0;
      Limit(shared_->limits.patience);
      return std::size_t{256} << 10;
    };
    asio::async_write(socket_, asio::buffer(*reply_.body), progress, Then([this](std::size_t) { EndReply(); }));
  }

  void EndReply() {
    reply_ = {};
    if (keep_alive_) return ReadHeader();
    // A client that is still sending would lose the answer if the connection were closed at once.
    Error ignored;
    socket_.plain().shutdown(HttpSocket::Plain::shutdown_send, ignored);
    limit_ = shared_->loop.After(kFarewell, [self = shared_from_this()](base::Time) { self->Close(); });
  }

  const std::shared_ptr<Shared> shared_;
  HttpSocket socket_;
  boost::beast::flat_buffer buffer_;
  const std::string peer_;
  std::list<std::weak_ptr<Connection>>::iterator place_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpReply reply_;
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::function<void()> gone_;
  base::Timer limit_;
  bool keep_alive_ = true;
  bool closed_ = false;
};

class Call final : public HttpCall {
 public:
  Call(std::shared_ptr<Connection> connection, HttpRequest request)
      : connection_(std::move(connection)), request_(std::move(request)) {}
  ~Call() override {
    if (!answered_) connection_->Close();
  }

  const HttpRequest& request() const override { return request_; }
  void WhenGone(std::function<void()> gone) override { connection_->WhenGone(std::move(gone)); }
  void Reply(HttpReply reply) override {
    answered_ = true;
    connection_->Reply(std::move(reply));
  }

 private:
  const std::shared_ptr<Connection> connection_;
  const HttpRequest request_;
  bool answered_ = false;
};

void Connection::HandOver() {
  limit_.Cancel();
  auto message = parser_->release();
  keep_alive_ = message.keep_alive();
  HttpRequest request{.method = ToText(message.method_string()),
                      .path = ToText(message.target()),
                      .peer = peer_,
                      .body = std::move(message.body())};
  parser_.reset();
  shared_->handler(std::make_unique<Call>(shared_from_this(), std::move(request)));
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(std::shared_ptr<Shared> shared, std::string address)
      : shared_(std::move(shared)), address_(std::move(address)) {}
  ~BeastServer() override {
    acceptor_.reset();
    for (const auto& weak : std::list(shared_->connections)) {
      if (const auto connection = weak.lock()) connection->Close();
    }
  }

  void Accept(Listening listening, Failed failed) {
    const auto taken = [this](base::Descriptor descriptor) { Take(std::move(descriptor)); };
    const auto tell = [this, failed = std::move(failed)](const absl::Status& why) {
      failed(base::Prefix(why, fmt::format("{}: cannot take another client", address_)));
    };
    acceptor_.emplace(shared_->loop, std::move(listening), taken, tell);
  }

  const std::string& address() const override { return address_; }

 private:
  void Take(base::Descriptor descriptor) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (getsockname(descriptor.number(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return;
    HttpSocket::Plain socket(shared_->loop.context());
    Error error;
    socket.assign(asio::generic::stream_protocol(name.ss_family, 0), std::move(descriptor).Release(), error);
    if (error) return;
    const auto connection = std::make_shared<Connection>(shared_, std::move(socket));
    connection->Start(shared_->connections.insert(shared_->connections.end(), connection));
  }

  const std::shared_ptr<Shared> shared_;
  const std::string address_;
  std::optional<Acceptor> acceptor_;
};

}  // namespace

Bytes ErrorBody(std::string_view what) {
  std::string body = R"({"error":")";
  for (const char c : what) {
    if (c == '"' || c == '\\') body.push_back('\\');
    static_cast<unsigned char>(c) < 0x20 ? body += fmt::format("\\u{:04x}", static_cast<unsigned char>(c)) : body += c;
  }
  return std::make_shared<const std::string>(body + "\"}\n");
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(base::Loop& loop, const ServerSettings& settings,
                                                              Limits limits, Handler handler, Failed failed) {
  absl::StatusOr<Target> target = ParseListenAddress(settings.listen);
  if (!target.ok()) return target.status();
  auto shared = std::make_shared<Shared>(Shared{loop, limits, settings.largest_message, std::move(handler)});
  if (settings.tls) {
    absl::StatusOr<SslContext> context = MakeServerSslContext(*settings.tls);
    if (!context.ok()) return context.status();
    shared->tls = *std::move(context);
  }
  absl::StatusOr<Listening> listening = Listen(*target);
  if (!listening.ok()) return listening.status();
  if (listening->port != 0) target->port = std::to_string(listening->port);
  auto server = std::make_unique<BeastServer>(std::move(shared), target->Display());
  server->Accept(*std::move(listening), std::move(failed));
  return server;
}

}  // namespace xdscope::transport
