#include "lib/transport/http_client.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "lib/base/status.h"
#include "lib/transport/http_connection.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {
namespace {

using Connection = std::shared_ptr<HttpConnection>;

// Connections that nobody uses are few: each type of resources has one request under way at most.
constexpr std::size_t kMostIdle = 16;

constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

absl::Status Invalid(std::string_view what, std::string_view why) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", what, why));
}

// ---- Settings.

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Makes headers what HTTP/1.1 can carry: bytes in base64, as gRPC has them on the wire too.
absl::StatusOr<Metadata> CheckedHeaders(Metadata headers) {
  for (auto& [name, value] : headers) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), IsNameCharacter)) {
      return Invalid("header", fmt::format("'{}' is not a name", name));
    }
    if (name.ends_with("-bin")) value = absl::Base64Escape(value);
    if (!std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) {
      return Invalid(fmt::format("header '{}'", name), "the value has a character that is not printable ASCII");
    }
  }
  return headers;
}

// "http://[user:password@]host:port". The text may have a password, so that no message repeats it.
absl::StatusOr<HttpProxy> ParseProxy(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) return Invalid("http_proxy", "only proxies at http://HOST:PORT are known");
  text.remove_prefix(kScheme.size());
  text = text.substr(0, text.find('/'));
  HttpProxy proxy;
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    proxy.authorization = "Basic " + absl::Base64Escape(base::ToAbsl(text.substr(0, at)));
    text.remove_prefix(at + 1);
  }
  const absl::StatusOr<Target> address = ParseTarget(fmt::format("http://{}", text));
  if (!address.ok()) return Invalid("http_proxy", "expected http://HOST:PORT");
  proxy.host = address->host;
  proxy.port = address->port;
  return proxy;
}

absl::Status PrepareTls(HttpPeer* peer) {
  absl::StatusOr<Tls> tls = CheckedTls(*peer->settings.tls);
  if (!tls.ok()) return tls.status();
  absl::StatusOr<SslContext> context = MakeSslContext(*tls);
  if (!context.ok()) return context.status();
  SSL_CTX_set_verify(context->get(), tls->check_chain && !tls->insecure ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_alpn_protos(context->get(), kHttp11.data(), kHttp11.size());
  peer->settings.tls = *std::move(tls);
  peer->tls = *std::move(context);
  return absl::OkStatus();
}

absl::StatusOr<HttpPeer> MakePeer(ChannelSettings settings) {
  absl::StatusOr<Target> target = ParseTarget(settings.target);
  if (!target.ok()) return target.status();
  if (!target->rest) return Invalid(settings.target, "expected http://HOST[:PORT][/PREFIX] or https://…");
  absl::StatusOr<Metadata> headers = CheckedHeaders(std::move(settings.headers));
  if (!headers.ok()) return headers.status();
  settings.headers = *std::move(headers);
  HttpPeer peer{
      .target = *std::move(target), .settings = std::move(settings), .proxy = {}, .tls = {}, .server_name = {}};
  if (!peer.settings.http_proxy.empty() && !peer.target.is_local) {
    absl::StatusOr<HttpProxy> proxy = ParseProxy(peer.settings.http_proxy);
    if (!proxy.ok()) return proxy.status();
    peer.proxy = *std::move(proxy);
  }
  if (peer.settings.tls) {
    const absl::Status status = PrepareTls(&peer);
    if (!status.ok()) return status;
    peer.server_name = ServerName(peer.settings, peer.target);
  }
  return peer;
}

// ---- Requests.

// Returns how the Host header names the server: without the port that its scheme has anyway.
std::string HostOf(const HttpPeer& peer) {
  if (!peer.settings.authority.empty()) return peer.settings.authority;
  const std::string host_port = peer.target.HostPort();
  const std::string_view usual = peer.tls ? ":443" : ":80";
  return host_port.ends_with(usual) ? host_port.substr(0, host_port.size() - usual.size()) : host_port;
}

// What the settings say of a header takes the place of our own.
HttpPost MakePost(const HttpPeer& peer, const std::string& path, std::string body) {
  const bool to_proxy = peer.proxy && peer.tls == nullptr;
  HttpPost post{.target = peer.target.prefix + path, .headers = {}, .body = std::move(body)};
  if (to_proxy) post.target = fmt::format("http://{}{}", HostOf(peer), post.target);
  const Metadata& said = peer.settings.headers;
  const auto add = [&](std::string_view name, const std::string& value) {
    const auto is_it = [name](const auto& header) { return absl::EqualsIgnoreCase(header.first, base::ToAbsl(name)); };
    if (!value.empty() && std::none_of(said.begin(), said.end(), is_it)) post.headers.emplace_back(name, value);
  };
  add("host", HostOf(peer));
  add("content-type", "application/json");
  add("accept", "application/json");
  add("accept-encoding", "gzip");
  add("user-agent", peer.settings.user_agent);
  if (to_proxy) add("proxy-authorization", peer.proxy->authorization);
  post.headers.insert(post.headers.end(), said.begin(), said.end());
  return post;
}

// ---- The client.

// What exchanges share with their client, and may outlive it for a moment.
struct Pool {
  base::Loop& loop;
  std::shared_ptr<const HttpPeer> peer;
  std::vector<Connection> idle = {};
};

class Exchange final : public HttpExchange {
 public:
  Exchange(std::shared_ptr<Pool> pool, const std::string& path, std::string body, HttpClient::Told told)
      : pool_(std::move(pool)), post_(MakePost(*pool_->peer, path, std::move(body))), told_(std::move(told)) {
    const std::chrono::milliseconds limit = pool_->peer->settings.request_timeout;
    if (limit.count() > 0)
      limit_ = pool_->loop.After(limit, [this, limit](base::Time) { RunOut("whole answer", limit); });
    Start();
  }
  ~Exchange() override {
    if (connection_ != nullptr) connection_->Close();
  }

 private:
  void Start() {
    if (!pool_->idle.empty()) {
      connection_ = std::move(pool_->idle.back());
      pool_->idle.pop_back();
      reused_ = true;
      connected_ = pool_->loop.After({}, [this](base::Time) { Ask(); });  // not inside the call
      return;
    }
    reused_ = false;
    connection_ = HttpConnection::Make(pool_->loop, pool_->peer);
    const std::chrono::milliseconds limit = pool_->peer->settings.connect_timeout;
    if (limit.count() > 0)
      connected_ = pool_->loop.After(limit, [this, limit](base::Time) { RunOut("connection", limit); });
    connection_->Open([this](const absl::Status& status) {
      connected_.Cancel();
      status.ok() ? Ask() : End(status);
    });
  }

  // The request is kept where it may have to be sent once more.
  void Ask() {
    if (!std::exchange(told_connected_, true)) {
      const std::weak_ptr<bool> alive = alive_;
      told_.connected();
      if (alive.expired()) return;
    }
    const auto answered = [this](absl::StatusOr<HttpAnswer> answer, bool unheard) {
      if (unheard && reused_) return AskAnew();
      if (connection_->stays_open() && pool_->idle.size() < kMostIdle) {
        pool_->idle.push_back(std::exchange(connection_, nullptr));
      }
      End(std::move(answer));
    };
    reused_ ? connection_->Ask(post_, answered) : connection_->Ask(std::move(post_), answered);
  }

  // A server may close a connection at the moment at which we use it again.
  void AskAnew() {
    connection_->Close();
    for (const Connection& stale : std::exchange(pool_->idle, {})) stale->Close();
    Start();
  }

  void RunOut(std::string_view what, std::chrono::milliseconds limit) {
    End(base::Error(absl::StatusCode::kDeadlineExceeded,
                    fmt::format("no {} within {:g}s", what, static_cast<double>(limit.count()) / 1000)));
  }

  void End(absl::StatusOr<HttpAnswer> answer) {
    limit_.Cancel();
    connected_.Cancel();
    if (connection_ != nullptr) std::exchange(connection_, nullptr)->Close();
    const auto done = std::move(told_.done);  // it may destroy this
    done(std::move(answer));
  }

  const std::shared_ptr<Pool> pool_;
  HttpPost post_;
  HttpClient::Told told_;
  Connection connection_;
  base::Timer connected_;
  base::Timer limit_;
  bool reused_ = false;
  bool told_connected_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

class BeastClient final : public HttpClient {
 public:
  BeastClient(base::Loop& loop, HttpPeer peer)
      : pool_(std::make_shared<Pool>(Pool{loop, std::make_shared<const HttpPeer>(std::move(peer))})) {}
  ~BeastClient() override {
    for (const Connection& connection : pool_->idle) connection->Close();
  }

  std::unique_ptr<HttpExchange> Post(const std::string& path, std::string body, Told told) override {
    return std::make_unique<Exchange>(pool_, path, std::move(body), std::move(told));
  }

 private:
  const std::shared_ptr<Pool> pool_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpClient>> ConnectHttp(base::Loop& loop, ChannelSettings settings) {
  absl::StatusOr<HttpPeer> peer = MakePeer(std::move(settings));
  if (!peer.ok()) return peer.status();
  return std::make_unique<BeastClient>(loop, *std::move(peer));
}

}  // namespace xdscope::transport
