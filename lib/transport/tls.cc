#include "lib/transport/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::transport {
namespace {

// Debian, Fedora, openSUSE, older Red Hat, Alpine.
constexpr std::array kRootFiles = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

absl::Status Invalid(std::string_view what, std::string_view why) {
  ERR_clear_error();
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", what, why));
}

Bio Reader(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// Gives no password for a key that is encrypted: without this OpenSSL would ask at the terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return 0;
}

Certificate NextCertificate(BIO* reader) {
  return Certificate(PEM_read_bio_X509(reader, nullptr, nullptr, nullptr));
}

absl::Status AddAuthorities(SSL_CTX* context, std::string_view what, const std::string& pem) {
  const Bio reader = Reader(pem);
  int count = 0;
  while (const Certificate certificate = NextCertificate(reader.get())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
    ++count;
  }
  ERR_clear_error();  // the end of the text is an error to OpenSSL
  return count > 0 ? absl::OkStatus() : Invalid(what, "no PEM certificate in them");
}

// Whose certificate and key, in messages.
struct Owner {
  std::string_view certificate;
  std::string_view key;
};
constexpr Owner kClient = {"client certificate", "client key"};
constexpr Owner kServer = {"server certificate", "server key"};

// Takes the first certificate as the owner's, and all others as the chain above it, as every server reads such a file.
absl::Status UseChain(SSL_CTX* context, const Owner& owner, const std::string& pem) {
  const Bio reader = Reader(pem);
  const Certificate own = NextCertificate(reader.get());
  if (own == nullptr) return Invalid(owner.certificate, "no PEM certificate in it");
  if (SSL_CTX_use_certificate(context, own.get()) != 1) {
    const char* why = ERR_reason_error_string(ERR_peek_last_error());
    return Invalid(owner.certificate, why == nullptr ? "refused by OpenSSL" : why);
  }
  while (const Certificate above = NextCertificate(reader.get())) SSL_CTX_add1_chain_cert(context, above.get());
  ERR_clear_error();
  return absl::OkStatus();
}

absl::Status UseKey(SSL_CTX* context, const Owner& owner, const std::string& pem) {
  const Bio reader = Reader(pem);
  bool encrypted = false;
  const Key key(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassword, &encrypted));
  if (encrypted) return Invalid(owner.key, "it is encrypted");
  if (key == nullptr) return Invalid(owner.key, "no PEM private key in it");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Invalid(owner.key, fmt::format("it does not belong to the {}", owner.certificate));
  }
  return absl::OkStatus();
}

absl::Status UseIdentity(SSL_CTX* context, const Owner& owner, const std::string& cert_pem,
                         const std::string& key_pem) {
  if (cert_pem.empty() && key_pem.empty()) return absl::OkStatus();
  if (key_pem.empty()) return Invalid(owner.certificate, "it needs its key");
  if (cert_pem.empty()) return Invalid(owner.key, "it needs its certificate");
  const absl::Status status = UseChain(context, owner, cert_pem);
  return status.ok() ? UseKey(context, owner, key_pem) : status;
}

absl::Status Configure(SSL_CTX* context, const Tls& tls) {
  absl::Status status;
  // Whoever is trusted need not be a root, as gRPC and Envoy have it.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (!tls.ca_pem.empty()) status.Update(AddAuthorities(context, "certificate authorities", tls.ca_pem));
  if (status.ok()) status.Update(UseIdentity(context, kClient, tls.cert_pem, tls.key_pem));
  return status;
}

// Returns the authorities that this system trusts, as PEM. NOT_FOUND when it has none.
absl::StatusOr<std::string> SystemRoots() {
  for (const char* path : kRootFiles) {
    std::ifstream file(path, std::ios::binary);
    std::string pem{std::istreambuf_iterator<char>(file), {}};
    if (!pem.empty()) return pem;
  }
  return base::Error(absl::StatusCode::kNotFound, "this system has no file of trusted certificate authorities");
}

}  // namespace

void SslContextDeleter::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

absl::StatusOr<SslContext> MakeSslContext(const Tls& tls) {
  SslContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return base::Error(absl::StatusCode::kInternal, "no TLS context");
  const absl::Status status = Configure(context.get(), tls);
  if (!status.ok()) return status;
  return context;
}

absl::Status CheckServerTls(const std::string& cert_pem, const std::string& key_pem, const std::string& client_ca_pem) {
  return MakeServerSslContext({cert_pem, key_pem, client_ca_pem}).status();
}

absl::StatusOr<SslContext> MakeServerSslContext(const ServerTls& tls) {
  SslContext context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return base::Error(absl::StatusCode::kInternal, "no TLS context");
  if (tls.cert_pem.empty() && tls.key_pem.empty()) return Invalid(kServer.certificate, "none is given");
  absl::Status status = UseIdentity(context.get(), kServer, tls.cert_pem, tls.key_pem);
  if (status.ok() && !tls.client_ca_pem.empty()) {
    status = AddAuthorities(context.get(), "client certificate authorities", tls.client_ca_pem);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (!status.ok()) return status;
  // A session that is taken up again would go past the check of the client's certificate.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  return context;
}

std::string ServerName(const ChannelSettings& settings, const Target& target) {
  if (settings.tls && !settings.tls->sni.empty()) return settings.tls->sni;
  if (settings.authority.empty()) return target.family == Target::Family::kTcp ? target.host : "localhost";
  const absl::StatusOr<Target> authority = ParseTarget(settings.authority);
  return authority.ok() ? authority->host : settings.authority;
}

absl::StatusOr<Tls> CheckedTls(Tls tls) {
  const absl::StatusOr<SslContext> context = MakeSslContext(tls);
  if (!context.ok()) return context.status();
  if (tls.ca_pem.empty() && tls.check_chain && !tls.insecure) {
    absl::StatusOr<std::string> roots = SystemRoots();
    if (!roots.ok()) return roots.status();
    tls.ca_pem = *std::move(roots);
  }
  return tls;
}

}  // namespace xdscope::transport
