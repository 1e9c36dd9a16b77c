// How a channel is made: everything a person can say about a connection, as values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/transport/stream.h"

namespace xdscope::transport {

// What a name in a server's certificate (subjectAltName) must look like, as Envoy's SubjectAltNameMatcher says it.
struct NameMatcher {
  enum class Kind : std::uint8_t { kAny, kDns, kUri, kEmail, kAddress };
  enum class How : std::uint8_t { kExact, kPrefix, kSuffix, kContains, kRegex };

  Kind kind = Kind::kAny;
  How how = How::kExact;
  std::string text = {};     // kRegex: RE2's syntax, for the whole name; kExact of a DNS name: its wildcards count
  bool ignore_case = false;  // not for kRegex

  friend bool operator==(const NameMatcher&, const NameMatcher&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const NameMatcher& matcher) {
    return H::combine(std::move(state), matcher.kind, matcher.how, matcher.text, matcher.ignore_case);
  }
};

struct Tls {
  std::string ca_pem;       // who may have signed the server's certificate; empty = the roots of the system
  std::string cert_pem;     // our own certificate and the chain above it; empty = none
  std::string key_pem;      // its key
  bool insecure = false;    // take any certificate: nothing of what follows is checked
  bool check_chain = true;  // one of ca_pem signed it
  bool check_host = true;   // it is for the name by which we call the server
  // It has one of these names. Empty: it may have any.
  std::vector<NameMatcher> names = {};
  // The SHA-256 digest (32 bytes) of the certificate is among the first, or that of its public key (SPKI) among the
  // second. Both empty: it may be any certificate.
  std::vector<std::string> certificate_hashes = {};
  std::vector<std::string> key_hashes = {};
  std::string sni = {};  // the name by which we call the server in the handshake; empty = that of the requests

  friend bool operator==(const Tls&, const Tls&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Tls& tls) {
    return H::combine(std::move(state), tls.ca_pem, tls.cert_pem, tls.key_pem, tls.insecure, tls.check_chain,
                      tls.check_host, tls.names, tls.certificate_hashes, tls.key_hashes, tls.sni);
  }
};

struct ChannelSettings {
  std::string target;      // as in target.h
  std::optional<Tls> tls;  // nullopt = plaintext
  std::string authority;   // empty = tls->sni, else the target's host; in TLS also the name that check_host checks
  Metadata headers;        // sent with each stream; names in any case
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);  // 0 = none
  std::chrono::milliseconds keepalive_time{0};                           // 0 = none
  std::chrono::milliseconds request_timeout{0};  // REST: from a request to the end of its answer; 0 = none
  std::size_t max_message = 1'000'000'000;       // bytes; a larger one ends its stream
  std::string user_agent;
  std::string http_proxy;  // "http://[user:password@]host:port"; empty = none. Local targets never use it
  // With true the first failed attempt to connect ends a stream; without, the stream waits for the connection up to
  // connect_timeout.
  bool fail_fast = true;
};

}  // namespace xdscope::transport
