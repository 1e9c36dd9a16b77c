// How a channel is made: everything a person can say about a connection, as values.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "lib/transport/stream.h"

namespace xdscope::transport {

struct Tls {
  std::string ca_pem;     // who may have signed the server's certificate; empty = the roots of the system
  std::string cert_pem;   // our own certificate and the chain above it; empty = none
  std::string key_pem;    // its key
  bool insecure = false;  // take any certificate
};

struct ChannelSettings {
  std::string target;      // as in target.h
  std::optional<Tls> tls;  // nullopt = plaintext
  std::string authority;   // empty = the target's host; in TLS also the name that the certificate must have
  Metadata headers;        // sent with each stream; names in any case
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);  // 0 = none
  std::chrono::milliseconds keepalive_time{0};                           // 0 = none
  std::size_t max_message = 1'000'000'000;                               // bytes; a larger one ends its stream
  std::string user_agent;
  std::string http_proxy;  // "http://[user:password@]host:port"; empty = none. Local targets never use it
  // With true the first failed attempt to connect ends a stream; without, the stream waits for the connection up to
  // connect_timeout.
  bool fail_fast = true;
};

}  // namespace xdscope::transport
