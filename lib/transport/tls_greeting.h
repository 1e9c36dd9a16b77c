// A TLS handshake with a stranger, to see how far it gets and what he shows.
#pragma once

#include <string>
#include <vector>

#include "lib/transport/probe.h"
#include "lib/transport/raw_socket.h"
#include "lib/transport/settings.h"

namespace xdscope::transport {

struct TlsGreeting {
  bool spoke_tls = false;  // without it the other fields say nothing
  bool handshake_done = false;
  CertificateProblem problem = CertificateProblem::kNone;
  std::string detail;
  std::string alpn;
  std::vector<std::string> names;
};

// Shakes hands with `tls` (checked) on a connected socket, up to the point where a server that wants a certificate
// would have said so. `host`: the name the server's certificate must have.
TlsGreeting GreetWithTls(RawSocket& socket, const Tls& tls, const std::string& host);

}  // namespace xdscope::transport
