// TLS for gRPC, which takes certificates from providers alone. [reference/validation.md 2.7 XDS-V116]
#include <fmt/format.h>

#include <array>

#include "lib/rules/check.h"
#include "lib/rules/grpc.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kUpstreamTls = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr std::string_view kDownstreamTls = "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext";
constexpr std::string_view kValidation = "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext";

constexpr std::string_view kProvider = "tls_certificate_provider_instance";
constexpr std::string_view kOldProvider = "tls_certificate_certificate_provider_instance";

// What a context of gRPC knows of authorities.
struct Authorities {
  bool provided = false;  // by a provider instance
  bool system = false;
  bool names = false;  // the names in certificates are compared
};

Authorities AuthoritiesOf(const std::optional<View>& common) {
  Authorities authorities;
  if (!common) return authorities;
  const std::optional<View> combined = MessageIn(*common, "combined_validation_context");
  const std::optional<View> validation =
      combined ? MessageIn(*combined, "default_validation_context") : MessageIn(*common, "validation_context");
  authorities.provided = combined && Has(*combined, "validation_context_certificate_provider_instance");
  if (!validation) return authorities;
  authorities.provided = authorities.provided || Has(*validation, "ca_certificate_provider_instance");
  authorities.system = Has(*validation, "system_root_certs");
  authorities.names = !MessagesIn(*validation, "match_subject_alt_names").empty();
  return authorities;
}

void CheckClientTls(const Visited& at, Context& context) {
  const Authorities authorities = AuthoritiesOf(MessageIn(at.message, "common_tls_context"));
  if (authorities.provided || authorities.system) return;
  context.Add("XDS-V116", {at}, "has neither a ca_certificate_provider_instance nor system_root_certs");
}

void CheckServerTls(const Visited& at, Context& context) {
  const std::optional<View> common = MessageIn(at.message, "common_tls_context");
  if (!common || (!Has(*common, kProvider) && !Has(*common, kOldProvider))) {
    context.Add("XDS-V116", {at}, fmt::format("has no {}", kProvider));
  }
  const Authorities authorities = AuthoritiesOf(common);
  if (IsOn(at.message, "require_client_certificate") && !authorities.provided) {
    context.Add("XDS-V116", At(at, "require_client_certificate"),
                "asks for a client's certificate, and has no ca_certificate_provider_instance");
  }
  if (authorities.system)
    context.Add("XDS-V116", At(at, "common_tls_context"), "a server of gRPC has no system_root_certs");
  if (authorities.names) {
    context.Add("XDS-V116", At(at, "common_tls_context"), "a server of gRPC has no match_subject_alt_names");
  }
  if (IsOn(at.message, "ocsp_staple_policy")) {
    context.Add("XDS-V116", At(at, "ocsp_staple_policy"), "the ocsp_staple_policy of gRPC is LENIENT_STAPLING");
  }
  constexpr std::array<std::string_view, 1> kRefused = {"require_sni"};
  RefuseForGrpc(at, "XDS-V116", kRefused, context);
}

void CheckCommonTls(const Visited& at, Context& context) {
  constexpr std::array<std::string_view, 3> kRefused = {"tls_params", "custom_handshaker",
                                                        "validation_context_sds_secret_config"};
  constexpr std::array<std::string_view, 2> kCertificates = {"tls_certificates", "tls_certificate_sds_secret_configs"};
  RefuseForGrpc(at, "XDS-V116", kRefused, context);
  if (!Has(at.message, kProvider) && !Has(at.message, kOldProvider))
    RefuseForGrpc(at, "XDS-V116", kCertificates, context);
}

// Secrets are for Envoy.
void CheckValidation(const Visited& at, Context& context) {
  constexpr std::array<std::string_view, 5> kRefused = {"verify_certificate_spki", "verify_certificate_hash",
                                                        "require_signed_certificate_timestamp", "crl",
                                                        "custom_validator_config"};
  if (at.above != nullptr && !at.above->message.type().is_secret()) RefuseForGrpc(at, "XDS-V116", kRefused, context);
}

// ---- The table.

constexpr std::string_view kClientTls[] = {kUpstreamTls};
constexpr std::string_view kServerTls[] = {kDownstreamTls};
constexpr std::string_view kCommonTls[] = {"envoy.extensions.transport_sockets.tls.v3.CommonTlsContext"};
constexpr std::string_view kValidations[] = {kValidation};
constexpr std::string_view kTlsReads[] = {
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.ca_certificate_provider_instance",
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.system_root_certs",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.combined_validation_context",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificate_provider_instance",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.validation_context",
    "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext.common_tls_context",
    "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext.common_tls_context",
};

constexpr std::array kChecks = {
    Check{"XDS-V116", kClientTls, kTlsReads, CheckClientTls},
    Check{"XDS-V116", kServerTls, kTlsReads, CheckServerTls},
    Check{"XDS-V116", kCommonTls, kTlsReads, CheckCommonTls},
    Check{"XDS-V116", kValidations, kTlsReads, CheckValidation},
};

}  // namespace

std::span<const Check> GrpcTlsChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
