// Tls settings as OpenSSL takes them: what is checked before anything connects or listens, and what Probe() shakes
// hands with.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/transport/server.h"
#include "lib/transport/settings.h"
#include "lib/transport/target.h"

struct ssl_ctx_st;

namespace xdscope::transport {

struct SslContextDeleter {
  void operator()(ssl_ctx_st* context) const;
};
using SslContext = std::unique_ptr<ssl_ctx_st, SslContextDeleter>;

// Makes a client's context with these authorities and this certificate. INVALID_ARGUMENT, naming the part, for text
// that is not PEM, a certificate without its key (or the reverse), a key that is encrypted or of another certificate.
absl::StatusOr<SslContext> MakeSslContext(const Tls& tls);

// Checks that a server can show this certificate, and ask for clients' ones of these authorities (where that text is
// empty it does not ask). INVALID_ARGUMENT as above, and where there is no certificate.
absl::Status CheckServerTls(const std::string& cert_pem, const std::string& key_pem, const std::string& client_ca_pem);

// Makes a server's context of the same, which demands certificates of clients where authorities are given. Fails as
// CheckServerTls().
absl::StatusOr<SslContext> MakeServerSslContext(const ServerTls& tls);

// Returns the name by which the server is called in the handshake, and which its certificate is checked for: the one
// that the settings name, else the authority's, else the target's.
std::string ServerName(const ChannelSettings& settings, const Target& target);

// Returns the settings, checked, with the system's authorities in ca_pem where they are needed. Fails as
// MakeSslContext() does, and with NOT_FOUND where the system has no authorities.
absl::StatusOr<Tls> CheckedTls(Tls tls);

}  // namespace xdscope::transport
