#include "lib/transport/probe.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "lib/base/status.h"
#include "lib/transport/http2_preface.h"
#include "lib/transport/raw_socket.h"
#include "lib/transport/tls.h"
#include "lib/transport/tls_greeting.h"

namespace xdscope::transport {
namespace {

using std::chrono::milliseconds;

// The header of a frame of HTTP/2 (RFC 9113, 4.1), and two types of frames. A server's first one is SETTINGS, or GOAWAY
// where it does not want us.
constexpr std::size_t kFrameHeader = 9;
constexpr char kSettings = 4;
constexpr char kGoAway = 7;

Peer PeerOf(int error) {
  if (error == ECONNREFUSED) return Peer::kRefused;
  return error == ENOENT || error == ENOTDIR ? Peer::kUnresolved : Peer::kUnreachable;
}

// Tells by its first bytes what kind of speaker answers an HTTP/2 preface. A frame on stream 0 that is SETTINGS or
// GOAWAY is HTTP/2; nothing else that is in use begins like one.
Peer PeerOf(std::string_view first) {
  if (first.starts_with("HTTP/1.")) return Peer::kHttp1;
  if (first.starts_with("\x15\x03")) return Peer::kTls;  // an alert: it took the preface for a ClientHello
  const bool frame = first.size() >= kFrameHeader && first[5] == 0 && first[6] == 0 && first[7] == 0 && first[8] == 0;
  return frame && (first[3] == kSettings || first[3] == kGoAway) ? Peer::kPlaintextHttp2 : Peer::kOther;
}

// Says what every client of HTTP/2 says first, and looks at as much of the answer as PeerOf() needs.
Peer LookInPlaintext(RawSocket& socket) {
  if (!socket.Send(kHttp2Preface)) return Peer::kClosed;
  std::string first;
  while (first.size() < kFrameHeader) {
    const std::optional<std::string> more = socket.Receive();
    if (!more && first.empty()) return Peer::kSilent;
    if (more && more->empty() && first.empty()) return Peer::kClosed;
    if (!more || more->empty()) break;
    first += *more;
  }
  return PeerOf(first);
}

// One look at a peer. The settings say what the connection that failed tried to speak, so that is tried first. Each try
// is a connection of its own: a server that was greeted in the wrong language often hangs up.
class Probing {
 public:
  Probing(const ChannelSettings& settings, Target target, milliseconds limit)
      : settings_(settings), target_(std::move(target)), limit_(limit) {}

  ProbeResult Run() {
    addresses_ = Resolve(target_, limit_, &result_.detail);
    result_.address = target_.Display();
    if (addresses_.empty()) {
      result_.peer = Peer::kUnresolved;
    } else if (settings_.tls) {
      if (!LookWithTls() && Reachable()) LookInTheClear();
    } else {
      LookInTheClear();
      // Some servers answer plaintext on a TLS port in plaintext, or not at all.
      const bool sure = result_.peer == Peer::kPlaintextHttp2 || result_.peer == Peer::kTls;
      if (!sure && Reachable()) (void)LookWithTls();
    }
    return std::move(result_);
  }

 private:
  bool Reachable() const {
    return result_.peer != Peer::kRefused && result_.peer != Peer::kUnreachable && result_.peer != Peer::kUnresolved;
  }

  // Connects to the first address that takes it.
  bool Connect(std::optional<RawSocket>& socket) {
    int error = 0;
    for (const Address& address : addresses_) {
      error = socket.emplace().Connect(address, limit_ / 2);
      result_.address = address.text;
      if (error == 0) return true;
    }
    result_.peer = PeerOf(error);
    result_.detail = std::strerror(error);
    return false;
  }

  void LookInTheClear() {
    std::optional<RawSocket> socket;
    if (Connect(socket)) result_.peer = LookInPlaintext(*socket);
  }

  // Returns false where the peer does not speak TLS (or is not there). Of a peer that the settings would greet in
  // plaintext only that it speaks TLS is of interest.
  bool LookWithTls() {
    std::optional<RawSocket> socket;
    if (!Connect(socket)) return false;
    TlsGreeting greeting = GreetWithTls(*socket, TlsToUse(), ServerName(settings_, target_));
    if (!greeting.spoke_tls) return false;
    result_.peer = Peer::kTls;
    if (!settings_.tls) return true;
    result_.problem = greeting.problem;
    result_.handshake_done = greeting.handshake_done;
    result_.detail = std::move(greeting.detail);
    result_.alpn = std::move(greeting.alpn);
    result_.names = std::move(greeting.names);
    return true;
  }

  // Returns the settings' TLS. Where there is none, or it cannot be used, any certificate will do.
  Tls TlsToUse() const {
    Tls any;
    any.insecure = true;
    return settings_.tls ? CheckedTls(*settings_.tls).value_or(any) : any;
  }

  const ChannelSettings& settings_;
  const Target target_;
  const milliseconds limit_;
  std::vector<Address> addresses_;
  ProbeResult result_;
};

}  // namespace

ProbeResult Probe(const ChannelSettings& settings, milliseconds limit) {
  absl::StatusOr<Target> target = ParseTarget(settings.target);
  if (target.ok()) return Probing(settings, *std::move(target), limit).Run();
  ProbeResult result;
  result.peer = Peer::kUnresolved;
  result.detail = base::Message(target.status());
  return result;
}

}  // namespace xdscope::transport
