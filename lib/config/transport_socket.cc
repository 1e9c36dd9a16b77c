#include "lib/config/transport_socket.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lib/base/status.h"
#include "lib/config/credentials.h"
#include "lib/config/validation.h"

namespace xdscope::config {
namespace {

using transport::NameMatcher;

// The members of each message that are followed, or that demand nothing of the server's certificate.
constexpr std::array<std::string_view, 8> kOfUpstream = {
    "@type",
    "common_tls_context",
    "sni",
    "auto_host_sni",
    "auto_sni_san_validation",
    "allow_renegotiation",
    "max_session_keys",
    "enforce_rsa_key_usage",
};
constexpr std::array<std::string_view, 12> kOfCommon = {
    "tls_params",
    "tls_certificates",
    "tls_certificate_sds_secret_configs",
    "tls_certificate_provider_instance",
    "tls_certificate_certificate_provider",
    "tls_certificate_certificate_provider_instance",
    "custom_tls_certificate_selector",
    "validation_context",
    "validation_context_sds_secret_config",
    "combined_validation_context",
    "alpn_protocols",
    "key_log",
};
// Which ciphers are spoken is gRPC's choice; they are good ones.
constexpr std::array<std::string_view, 4> kOfParameters = {
    "tls_minimum_protocol_version",
    "tls_maximum_protocol_version",
    "cipher_suites",
    "ecdh_curves",
};
constexpr std::array<std::string_view, 2> kOfCombined = {"default_validation_context",
                                                         "validation_context_sds_secret_config"};

// The least versions of TLS that can be demanded: gRPC 1.51 speaks TLS 1.2 or 1.3 and cannot be kept to 1.3.
constexpr std::array<std::string_view, 4> kMinimumVersions = {"TLS_AUTO", "TLSv1_0", "TLSv1_1", "TLSv1_2"};

// Ways to a certificate of ours that are not followed. A server that wants one says so itself.
constexpr std::array<std::string_view, 4> kOtherIdentities = {
    "tls_certificate_provider_instance", "tls_certificate_certificate_provider",
    "tls_certificate_certificate_provider_instance", "custom_tls_certificate_selector"};

// Reads one UpstreamTlsContext.
class Reader {
 public:
  Reader(const Setting& upstream, const Surroundings& surroundings, Secrets* secrets, ServerConfig* server)
      : upstream_(upstream),
        common_(upstream["common_tls_context"]),
        surroundings_(surroundings),
        secrets_(*secrets),
        server_(*server) {}

  absl::Status Read() {
    transport::Tls tls;
    const absl::Status status = ReadOurs(&tls);
    if (!status.ok()) return status;
    tls.sni = upstream_["sni"].Text();
    server_.verification.Update(ReadTheirs(&tls));
    server_.channel.tls = std::move(tls);
    return absl::OkStatus();
  }

 private:
  // Reads our own certificate: the first one of the context, else the first one by SDS.
  absl::Status ReadOurs(transport::Tls* tls) {
    Setting certificate = common_["tls_certificates"].First();
    const Setting secret = common_["tls_certificate_sds_secret_configs"].First();
    if (!certificate && secret) {
      const absl::StatusOr<Setting> found = secrets_.Find(secret, "tls_certificate");
      if (found.ok()) {
        certificate = *found;
      } else {
        Note(found.status());
      }
    }
    for (const std::string_view name : kOtherIdentities) {
      if (common_[name]) Note(common_[name].Error("is not followed"));
    }
    return ReadIdentity(ReadDataSource, certificate["certificate_chain"], certificate["private_key"], surroundings_,
                        tls);
  }

  void Note(const absl::Status& status) {
    server_.notes.push_back(std::string(base::Message(status)) + "; give --cert and --key");
  }

  // Reads what is demanded of the server's certificate.
  absl::Status ReadTheirs(transport::Tls* tls) {
    absl::Status status;
    const Setting combined = common_["combined_validation_context"];
    std::vector<Setting> contexts = {combined ? combined["default_validation_context"] : common_["validation_context"]};
    for (const Setting& parent : {common_, combined}) {
      const Setting secret = parent["validation_context_sds_secret_config"];
      if (!secret) continue;
      const absl::StatusOr<Setting> found = secrets_.Find(secret, "validation_context");
      if (found.ok()) contexts.push_back(*found);
      status.Update(found.status());
    }
    status.Update(ReadValidation(contexts, surroundings_, tls));
    if (upstream_["auto_sni_san_validation"].Text() == "true") status.Update(TakeSniAsName(tls));
    status.Update(FirstStranger(upstream_, kOfUpstream));
    status.Update(FirstStranger(common_, kOfCommon));
    status.Update(FirstStranger(combined, kOfCombined));
    status.Update(CheckParameters(common_["tls_params"]));
    return status;
  }

  // Returns an error where more is demanded of the connection than gRPC does.
  static absl::Status CheckParameters(const Setting& parameters) {
    const Setting minimum = parameters["tls_minimum_protocol_version"];
    const bool known = std::ranges::count(kMinimumVersions, minimum.Text()) > 0;
    if (minimum && !known) return minimum.Error("cannot be enforced; TLSv1_2 can");
    return FirstStranger(parameters, kOfParameters);
  }

  // The name of the handshake takes the place of all names in the context.
  absl::Status TakeSniAsName(transport::Tls* tls) const {
    const Setting automatic = upstream_["auto_sni_san_validation"];
    if (upstream_["auto_host_sni"].Text() == "true") return automatic.Error("cannot be checked with auto_host_sni");
    if (!tls->check_chain) return automatic.Error("asks for no trusted_ca: Envoy refuses that");
    if (!tls->sni.empty()) tls->names = {{.kind = NameMatcher::Kind::kDns, .text = tls->sni}};
    return absl::OkStatus();
  }

  static absl::Status FirstStranger(const Setting& message, std::span<const std::string_view> known) {
    const Setting stranger = message.FirstBesides(known);
    return stranger ? stranger.Error("cannot be checked") : absl::OkStatus();
  }

  const Setting upstream_;
  const Setting common_;
  const Surroundings& surroundings_;
  Secrets& secrets_;
  ServerConfig& server_;
};

// Returns an error where the certificate must have the name of the requests, which is asked for beside the socket.
absl::Status CheckHttpOptions(const Setting& cluster) {
  std::vector<Setting> protocols = {cluster};  // as it was before typed_extension_protocol_options
  for (const auto& [key, options] : cluster["typed_extension_protocol_options"].Members()) protocols.push_back(options);
  for (const Setting& options : protocols) {
    const Setting automatic = options["upstream_http_protocol_options"]["auto_san_validation"];
    if (automatic.Text() == "true") return automatic.Error("cannot be checked");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadTransportSocket(const Setting& cluster, const Surroundings& surroundings, Secrets* secrets,
                                 ServerConfig* server) {
  const Setting socket = cluster["transport_socket"];
  const Setting config = socket ? socket["typed_config"] : cluster["tls_context"];  // v2 had the latter alone
  if (const Setting match = cluster["transport_socket_matches"].First()) {
    // One of these may take the place of the socket, so plaintext would be a guess.
    server->channel.tls.emplace();
    server->verification = match.Error("is not followed");
  }
  const std::string_view type = config["@type"].Text();
  if (type.ends_with(".RawBuffer") || (!socket && !config)) return absl::OkStatus();
  if (socket && !type.ends_with(".UpstreamTlsContext")) {
    return (config ? config : socket).Error("only UpstreamTlsContext and RawBuffer are understood");
  }
  server->tls_where = config.Where();
  server->verification.Update(CheckHttpOptions(cluster));
  return Reader(config, surroundings, secrets, server).Read();
}

}  // namespace xdscope::config
