#include "lib/transport/grpc_channel.h"

#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include "lib/base/status.h"
#include "lib/transport/grpc_stream.h"
#include "lib/transport/server_certificate.h"
#include "lib/transport/target.h"
#include "lib/transport/tls.h"

namespace xdscope::transport {
namespace {

// gRPC wants an authority even where it is told to check nothing, and this system may have none. This one is nobody's:
// its key was thrown away.
constexpr char kNobody[] = R"(-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUVrnH1NhKcajUFduAahJBaq+N/EkwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MB4XDTI2MTEyMTAyMzg0MFoXDTI2MTEyMjAyMzg0
MFowETEPMA0GA1UEAwwGbm9ib2R5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
posnS/xGyHSnsiEd0/ptPySZ/zrKQiLkCcNGPzrhbBr3+HUSZT9lR8pMp7g8R1Kt
Ki3HUgznIlaBckPFEDpVUKNTMFEwHQYDVR0OBBYEFLDllIZ159h1jYMsWf7aYRYb
x0ZBMB8GA1UdIwQYMBaAFLDllIZ159h1jYMsWf7aYRYbx0ZBMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAK4UKuCOTXSZjo193HmH65CaYVPMNyIc
LV8gSKAcCu+vAiAm+Ab2cc0cvOpdR72iimYlSXm4DS0Xj3bktYq4JP2p4w==
-----END CERTIFICATE-----
)";

absl::Status Invalid(std::string_view what, std::string_view why) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", what, why));
}

// Puts names into lower case and refuses what gRPC would abort the program for.
absl::StatusOr<Metadata> CheckedHeaders(Metadata headers) {
  for (auto& [name, value] : headers) {
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    const grpc_slice key = grpc_slice_from_static_buffer(name.data(), name.size());
    if (grpc_header_key_is_legal(key) == 0) return Invalid("header", fmt::format("'{}' is not a name", name));
    const grpc_slice text = grpc_slice_from_static_buffer(value.data(), value.size());
    if (grpc_is_binary_header(key) == 0 && grpc_header_nonbin_value_is_legal(text) == 0) {
      return Invalid(fmt::format("header '{}'", name), "the value has a character that is not printable ASCII");
    }
  }
  return headers;
}

// What is asked of a server's certificate beyond who signed it. gRPC asks after the handshake and before the first byte
// of a call is sent.
class CertificateCheck final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit CertificateCheck(Tls tls) : tls_(std::move(tls)) {}

  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*callback*/, grpc::Status* sync_status) override {
    *sync_status = Judge(*request);
    return true;  // at once
  }
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  grpc::Status Judge(const grpc::experimental::TlsCustomVerificationCheckRequest& request) const {
    const Certificate certificate = ReadCertificate(ToText(request.peer_cert()));
    if (certificate == nullptr) return Refusal("the server shows no certificate");
    switch (CompareCertificate(*certificate, ToText(request.target_name()), tls_)) {
      case Mismatch::kNone:
        return grpc::Status::OK;
      case Mismatch::kName:
        return Refusal("the server's certificate is for another name");
      case Mismatch::kHash:
        return Refusal("the server's certificate is another one than is asked for");
    }
    return Refusal("the server's certificate was not compared");
  }

  static std::string ToText(const grpc::string_ref& text) { return {text.data(), text.size()}; }
  static grpc::Status Refusal(const char* why) { return {grpc::StatusCode::UNAUTHENTICATED, why}; }

  const Tls tls_;
};

// Makes the credentials for all that SslCredentials cannot do: to leave a check out, to ask for more than the host's
// name, or to call the server by another name in the handshake than in requests. gRPC wants an authority even where it
// is told to check nothing, and for a certificate of ours a provider that is asked for both.
std::shared_ptr<grpc::ChannelCredentials> SpecialCredentials(const Tls& tls) {
  grpc::experimental::TlsChannelCredentialsOptions options;
  const std::string& roots = tls.ca_pem.empty() ? kNobody : tls.ca_pem;
  std::vector<grpc::experimental::IdentityKeyCertPair> own;
  if (!tls.key_pem.empty()) own.push_back({tls.key_pem, tls.cert_pem});
  options.set_certificate_provider(std::make_shared<grpc::experimental::StaticDataCertificateProvider>(roots, own));
  options.watch_root_certs();
  if (!own.empty()) options.watch_identity_key_cert_pairs();
  options.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<CertificateCheck>(tls));
  options.set_verify_server_certs(tls.check_chain && !tls.insecure);
  options.set_check_call_host(false);
  return grpc::experimental::TlsCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Credentials(const std::optional<Tls>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  const bool as_usual = tls->sni.empty() && !tls->insecure && tls->check_chain && tls->check_host &&
                        tls->names.empty() && tls->certificate_hashes.empty() && tls->key_hashes.empty();
  if (!as_usual) return SpecialCredentials(*tls);
  return grpc::SslCredentials({tls->ca_pem, tls->key_pem, tls->cert_pem});
}

int Milliseconds(std::chrono::milliseconds time) {
  constexpr auto kMost = std::numeric_limits<int>::max();
  return time.count() > kMost ? kMost : static_cast<int>(time.count());
}

grpc::ChannelArguments Arguments(const ChannelSettings& settings, bool is_local) {
  grpc::ChannelArguments arguments;
  // gRPC refuses messages over 4 MiB unless it is told otherwise; a response of 20,000 clusters has 15.
  arguments.SetMaxReceiveMessageSize(-1);
  // gRPC would unpack a message whatever its size is then. gzip alone is left, as what inflate.h can tell from a
  // message.
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
                   1 << GRPC_COMPRESS_NONE | 1 << GRPC_COMPRESS_GZIP);
  arguments.SetMaxSendMessageSize(-1);
  // Errors of control planes are long and arrive as metadata; gRPC's own limit is 8 kB.
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, 4 << 20);
  // Neither retries nor connections (and their back-off) shared with another channel: what is asked for is what
  // happens.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  if (!settings.authority.empty()) arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, settings.authority);
  if (settings.tls && !settings.tls->sni.empty()) arguments.SetSslTargetNameOverride(settings.tls->sni);
  if (!settings.user_agent.empty()) arguments.SetUserAgentPrefix(settings.user_agent);
  if (settings.http_proxy.empty() || is_local) {
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  } else {
    arguments.SetString(GRPC_ARG_HTTP_PROXY, settings.http_proxy);
  }
  if (settings.keepalive_time.count() > 0) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(settings.keepalive_time));
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  // gRPC gives one attempt 20 s; connect_timeout is the only limit.
  constexpr std::chrono::milliseconds kDay = std::chrono::hours(24);
  const auto limit = settings.connect_timeout.count() > 0 ? settings.connect_timeout : kDay;
  if (limit > std::chrono::seconds(20)) arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, Milliseconds(limit));
  return arguments;
}

class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(std::shared_ptr<GrpcConnection> connection)
      : connection_(std::move(connection)), poller_([queue = connection_->queue.get()] { Poll(*queue); }) {}

  ~GrpcChannel() override {
    // The streams are gone, so every operation has ended or is cancelled: the queue drains at once. Next() returns
    // false only after that, so no tag is lost.
    connection_->queue->Shutdown();
    poller_.join();
  }

  std::unique_ptr<Stream> OpenStream(const std::string& method, StreamEvents& events) override {
    return OpenGrpcStream(connection_, method, events);
  }

 private:
  // Runs on the one thread besides the loop's. It does nothing but hand finished operations over, so that everything a
  // stream does happens on the loop's thread and needs no lock.
  static void Poll(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) CompleteOperation(tag, ok);
  }

  const std::shared_ptr<GrpcConnection> connection_;
  std::thread poller_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Channel>> ConnectGrpc(base::Loop& loop, ChannelSettings settings) {
  const absl::StatusOr<Target> target = ParseTarget(settings.target);
  if (!target.ok()) return target.status();
  if (target->rest) return Invalid(settings.target, "is no server of gRPC");
  absl::StatusOr<Metadata> headers = CheckedHeaders(std::move(settings.headers));
  if (!headers.ok()) return headers.status();
  if (settings.tls) {
    absl::StatusOr<Tls> checked = CheckedTls(*std::move(settings.tls));
    if (!checked.ok()) return checked.status();
    settings.tls = *std::move(checked);
  }
  // gRPC writes its log to stderr, between the lines of the program.
  gpr_set_log_function([](gpr_log_func_args*) {});
  auto connection = std::make_shared<GrpcConnection>(loop);
  connection->queue = std::make_unique<grpc::CompletionQueue>();
  connection->channel =
      grpc::CreateCustomChannel(target->grpc, Credentials(settings.tls), Arguments(settings, target->is_local));
  connection->target = target->Display();
  connection->headers = *std::move(headers);
  // The name of the handshake would take the place of the authority.
  if (settings.tls && !settings.tls->sni.empty()) connection->authority = settings.authority;
  connection->connect_timeout = settings.connect_timeout;
  connection->max_message = settings.max_message;
  connection->fail_fast = settings.fail_fast;
  return std::make_unique<GrpcChannel>(std::move(connection));
}

}  // namespace xdscope::transport
