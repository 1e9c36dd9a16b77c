// A look at the peer after a connection has failed: gRPC's errors differ only in their text, so this connects by itself
// and sees what answers. The result is a value; which words and hints it becomes is the caller's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/transport/settings.h"

namespace xdscope::transport {

enum class Peer : std::uint8_t {
  kUnresolved,      // no such host, or no such socket file
  kRefused,         // nobody listens
  kUnreachable,     // no connection, for another reason or for none that came in time
  kPlaintextHttp2,  // what gRPC without TLS looks like
  kHttp1,           // a web server without TLS
  kTls,             // speaks TLS; more in the other fields if the settings do, too
  kSilent,          // takes the connection, says nothing
  kClosed,          // takes the connection and closes it
  kOther,           // says something else
};

enum class CertificateProblem : std::uint8_t {
  kNone,
  kExpired,
  kNotYetValid,
  kUnknownAuthority,
  kWrongName,
  kWrongHash,       // it is none of those that the settings name by their digests
  kOther,           // detail has OpenSSL's words
  kClientRequired,  // the server wants one of ours and there is none
  kClientRefused,   // the server does not take ours
};

struct ProbeResult {
  Peer peer = Peer::kOther;
  std::string address;  // that was tried last: "127.0.0.1:443"
  std::string detail;   // in the system's or in OpenSSL's words; may be empty

  // Only where the settings say TLS and the peer speaks it.
  CertificateProblem problem = CertificateProblem::kNone;
  bool handshake_done = false;     // where it was not, `detail` says why
  std::string alpn;                // the protocol the server chose; gRPC demands "h2"
  std::vector<std::string> names;  // that the server's certificate is for
};

// Connects as `settings` say (but not through a proxy), looks and closes. Blocks, at most about `limit` for a peer that
// is there and the same again for each address of a peer that is not.
ProbeResult Probe(const ChannelSettings& settings, std::chrono::milliseconds limit = std::chrono::seconds(1));

}  // namespace xdscope::transport
