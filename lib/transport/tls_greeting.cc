#include "lib/transport/tls_greeting.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <optional>
#include <utility>

#include "lib/transport/http2_preface.h"
#include "lib/transport/server_certificate.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {
namespace {

constexpr std::array<unsigned char, 3> kH2 = {2, 'h', '2'};

// What the callbacks of OpenSSL have seen.
struct Seen {
  bool tls = false;
  bool certificate_request = false;
  std::optional<int> alert;      // a fatal one, from the peer
  int verify_error = X509_V_OK;  // the first
};

// Sees every TLS record that comes. A handshake record or an alert means that the peer speaks TLS at all, whatever
// becomes of the handshake. That it asks for a certificate shows here alone: in TLS 1.3 a client that has none finishes
// its handshake with success and hears of the refusal later.
void OnMessage(int writing, int /*version*/, int type, const void* bytes, std::size_t size, SSL* /*ssl*/, void* arg) {
  auto* seen = static_cast<Seen*>(arg);
  const auto* at = static_cast<const unsigned char*>(bytes);
  if (writing != 0 || size == 0) return;
  if (type == SSL3_RT_HANDSHAKE) {
    seen->tls = true;
    if (at[0] == SSL3_MT_CERTIFICATE_REQUEST) seen->certificate_request = true;
  } else if (type == SSL3_RT_ALERT && size == 2) {
    seen->tls = true;
    if (at[0] == SSL3_AL_FATAL) seen->alert = at[1];
  }
}

// Goes on after an error: what follows is worth seeing as well.
int OnVerify(int good, X509_STORE_CTX* store) {
  if (good != 0) return 1;
  const auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* seen = static_cast<Seen*>(SSL_get_app_data(ssl));
  if (seen->verify_error == X509_V_OK) seen->verify_error = X509_STORE_CTX_get_error(store);
  return 1;
}

bool IsAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// A client's end of TLS over a RawSocket. OpenSSL reads from and writes to memory, so that no call of it can wait.
class Handshake {
 public:
  Handshake(RawSocket& socket, SSL_CTX* context, const std::string& host, bool check_chain)
      : socket_(socket), ssl_(SSL_new(context)), in_(BIO_new(BIO_s_mem())), out_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(ssl_, in_, out_);
    SSL_set_app_data(ssl_, &seen_);
    SSL_set_msg_callback(ssl_, OnMessage);
    SSL_set_msg_callback_arg(ssl_, &seen_);
    SSL_set_alpn_protos(ssl_, kH2.data(), kH2.size());
    if (check_chain) SSL_set_verify(ssl_, SSL_VERIFY_PEER, OnVerify);
    if (!IsAddress(host)) SSL_set_tlsext_host_name(ssl_, host.c_str());
  }
  ~Handshake() {
    SSL_free(ssl_);
    ERR_clear_error();
  }
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  bool Connect() {
    return Drive([this] { return SSL_connect(ssl_); });
  }
  // Returns true where the peer answers the start of HTTP/2 with anything but an alert or a closed connection, or takes
  // its time. Only this tells, in TLS 1.3, whether a server was content with our certificate or with none.
  bool IsWelcome() {
    std::array<char, 64> answer{};
    if (!Drive([this] { return SSL_write(ssl_, kHttp2Preface.data(), static_cast<int>(kHttp2Preface.size())); }))
      return false;
    return Drive([&] { return SSL_read(ssl_, answer.data(), answer.size()); }) || timed_out_;
  }

  const Seen& seen() const { return seen_; }
  SSL* ssl() const { return ssl_; }
  bool timed_out() const { return timed_out_; }

 private:
  // Repeats a step of OpenSSL, carrying bytes between it and the socket, until the step succeeds or cannot go on. The
  // socket has the time limit, which OpenSSL does not know of.
  template <typename Step>
  bool Drive(Step step) {
    for (;;) {
      const int result = step();
      const int error = SSL_get_error(ssl_, result);
      Flush();
      if (result > 0) return true;
      if (error != SSL_ERROR_WANT_READ) return false;
      const std::optional<std::string> bytes = socket_.Receive();
      timed_out_ = !bytes.has_value();
      if (timed_out_ || bytes->empty()) return false;
      BIO_write(in_, bytes->data(), static_cast<int>(bytes->size()));
    }
  }

  void Flush() {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out_, &bytes);
    // A broken connection shows when the answer is read.
    if (size > 0) (void)socket_.Send({bytes, static_cast<std::size_t>(size)});
    (void)BIO_reset(out_);
  }

  RawSocket& socket_;
  SSL* const ssl_;
  BIO* const in_;
  BIO* const out_;
  Seen seen_;
  bool timed_out_ = false;
};

CertificateProblem ProblemOf(int verify_error) {
  switch (verify_error) {
    case X509_V_OK:
      return CertificateProblem::kNone;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return CertificateProblem::kExpired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return CertificateProblem::kNotYetValid;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return CertificateProblem::kUnknownAuthority;
    default:
      return CertificateProblem::kOther;
  }
}

// Returns what a certificate is for: DNS names and addresses, by which a server can be called.
std::vector<std::string> HostsOf(const X509& certificate) {
  std::vector<std::string> hosts;
  for (CertificateName& name : NamesOf(certificate)) {
    const bool host = name.kind == NameMatcher::Kind::kDns || name.kind == NameMatcher::Kind::kAddress;
    if (host && !name.text.empty()) hosts.push_back(std::move(name.text));
  }
  return hosts;
}

std::string Alpn(const SSL* ssl) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

// Returns what is wrong with a certificate that is signed as it should be.
CertificateProblem ProblemOf(Mismatch mismatch) {
  switch (mismatch) {
    case Mismatch::kNone:
      return CertificateProblem::kNone;
    case Mismatch::kName:
      return CertificateProblem::kWrongName;
    case Mismatch::kHash:
      return CertificateProblem::kWrongHash;
  }
  return CertificateProblem::kOther;
}

// The most telling of what was seen: who signed the server's certificate, what it says (both in `greeting` already or
// in the handshake), then what the server says of ours.
void Explain(const Handshake& handshake, bool welcome, bool has_certificate, TlsGreeting* greeting) {
  const Seen& seen = handshake.seen();
  if (seen.verify_error != X509_V_OK) {
    greeting->problem = ProblemOf(seen.verify_error);
    greeting->detail = X509_verify_cert_error_string(seen.verify_error);
  } else if (greeting->problem == CertificateProblem::kNone && seen.certificate_request && !welcome) {
    greeting->problem = has_certificate ? CertificateProblem::kClientRefused : CertificateProblem::kClientRequired;
  }
  if (!greeting->detail.empty()) return;
  if (seen.alert) {
    greeting->detail = SSL_alert_desc_string_long(*seen.alert);
  } else if (!greeting->handshake_done && handshake.timed_out()) {
    greeting->detail = "the handshake came to no end in time";
  }
}

}  // namespace

TlsGreeting GreetWithTls(RawSocket& socket, const Tls& tls, const std::string& host) {
  TlsGreeting greeting;
  const absl::StatusOr<SslContext> context = MakeSslContext(tls);
  if (!context.ok()) return greeting;
  Handshake handshake(socket, context->get(), host, tls.check_chain && !tls.insecure);
  greeting.handshake_done = handshake.Connect();
  const bool welcome = greeting.handshake_done && handshake.IsWelcome();
  greeting.spoke_tls = handshake.seen().tls;
  greeting.alpn = Alpn(handshake.ssl());
  if (const Certificate certificate{SSL_get1_peer_certificate(handshake.ssl())}) {
    greeting.names = HostsOf(*certificate);
    greeting.problem = ProblemOf(CompareCertificate(*certificate, host, tls));
  }
  Explain(handshake, welcome, !tls.cert_pem.empty(), &greeting);
  return greeting;
}

}  // namespace xdscope::transport
