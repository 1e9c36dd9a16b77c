// TLS: certificates and keys, and whom a context trusts.
// [reference/validation.md 2.6; 2.10]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lib/base/pem.h"
#include "lib/format/secrets.h"
#include "lib/rules/check.h"
#include "lib/rules/place.h"
#include "lib/rules/reading.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using wire::View;

constexpr std::string_view kContext = "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext";
constexpr std::string_view kSecret = "envoy.extensions.transport_sockets.tls.v3.Secret";

// ---- Sources of data. [XDS-V105, V107]

// The text in an inline DataSource; nullopt where there is no source, or its data are elsewhere.
std::optional<std::string_view> InlineIn(const View& view, std::string_view field) {
  const std::optional<View> source = MessageIn(view, field);
  if (!source) return std::nullopt;
  for (const std::string_view form : {"inline_string", "inline_bytes"}) {
    if (const std::optional<wire::Value> text = source->Get(form)) return text->AsText();
  }
  return std::nullopt;
}

// Tells whether there is something in a DataSource, as far as it is known. One without a specifier is for PGV.
bool IsFilled(const View& view, std::string_view field) {
  return Has(view, field) && InlineIn(view, field) != std::string_view();
}

bool IsRedacted(std::string_view text) {
  return text == format::kRedacted;
}

// Tells whether a message is part of what Envoy shows of itself, /config_dump and its like.
bool IsInDump(const Visited& at) {
  const Visited* root = &at;
  while (root->above != nullptr) root = root->above;
  return root->message.type().full_name().starts_with("envoy.admin.");
}

// Finds what has been taken out of a configuration before it was shown to somebody. In a dump that is as it should be.
void CheckRedacted(const Visited& at, Context& context) {
  for (const std::string_view form : {"inline_string", "inline_bytes"}) {
    const std::optional<wire::Value> text = Get(at, form);
    if (!text || !IsRedacted(text->AsText()) || IsInDump(at)) continue;
    context.Add("XDS-V107", At(at, form), "was taken out of the configuration and is \"[redacted]\"");
  }
}

// Says what is wrong with an inline text by one of the checks of lib/base/pem.h. Returns false where something is.
template <typename Check>
bool CheckInline(const Visited& at, std::string_view field, Context& context, Check check) {
  const std::optional<std::string_view> text = InlineIn(at.message, field);
  if (!text || text->empty()) return true;
  if (IsRedacted(*text)) return false;  // that is XDS-V107
  const absl::Status status = check(*text);
  if (!status.ok()) context.Add("XDS-V105", At(at, field), std::string(base::Message(status)));
  return status.ok();
}

constexpr std::string_view kBesidePkcs12[] = {"certificate_chain", "private_key", "private_key_provider"};

void CheckParts(const Visited& at, Context& context) {
  if (Has(at.message, "pkcs12")) {
    for (const std::string_view field : kBesidePkcs12) {
      if (Has(at.message, field))
        context.Add("XDS-V105", At(at, field), fmt::format("pkcs12 takes the place of {}", field));
    }
    return;
  }
  // Envoy passes over a certificate of a context that has nothing in it.
  const bool nothing = std::none_of(std::begin(kBesidePkcs12), std::end(kBesidePkcs12),
                                    [&](std::string_view field) { return Has(at.message, field); });
  if (nothing && at.above != nullptr && at.above->message.type().full_name() == kContext) return;
  if (!IsFilled(at.message, "certificate_chain")) context.Add("XDS-V105", {at}, "has no certificate_chain");
  if (!IsFilled(at.message, "private_key") && !Has(at.message, "private_key_provider")) {
    context.Add("XDS-V105", {at}, "has no private_key");
  }
}

void CheckPair(const Visited& at, Context& context) {
  const bool has_password = Has(at.message, "password");
  const bool chain = CheckInline(at, "certificate_chain", context, base::CheckCertificateChain);
  const bool key = CheckInline(at, "private_key", context, [has_password](std::string_view pem) {
    return base::CheckPrivateKey(pem, has_password);
  });
  const std::optional<std::string_view> chain_pem = InlineIn(at.message, "certificate_chain");
  if (!chain || !chain_pem) return;
  const std::optional<std::string_view> key_pem = InlineIn(at.message, "private_key");
  if (key && key_pem && !base::BelongTogether(*chain_pem, *key_pem)) {
    context.Add("XDS-V105", At(at, "private_key"), "the key does not belong to the certificate");
  }
  const std::string why = base::WhyNotValid(*chain_pem);
  if (why.empty()) return;
  finding::Finding* const finding =
      context.Add("XDS-V105", At(at, "certificate_chain"), fmt::format("the certificate is not valid: {}", why));
  if (finding != nullptr) finding->severity = finding::Severity::kWarning;
}

void CheckCertificate(const Visited& at, Context& context) {
  CheckParts(at, context);
  CheckPair(at, context);
  const std::optional<View> staple = MessageIn(at.message, "ocsp_staple");
  if (staple && Has(*staple, "inline_string")) {
    context.Add("XDS-V105", At(at, "ocsp_staple"), "a staple is binary, and does not fit into inline_string");
  }
}

void CheckTrusted(const Visited& at, Context& context) {
  CheckInline(at, "trusted_ca", context, base::CheckAuthorities);
  CheckInline(at, "crl", context, base::CheckRevocations);
}

// ---- Certificates of a context. [XDS-V100]

// The certificates of a context by where they are from.
struct Certificates {
  std::size_t listed = 0;  // of these some may be empty
  std::size_t filled = 0;
  std::size_t discovered = 0;
};

Certificates CertificatesOf(const View& common) {
  Certificates certificates;
  for (const View& certificate : MessagesIn(common, "tls_certificates")) {
    ++certificates.listed;
    if (!certificate.empty()) ++certificates.filled;
  }
  certificates.discovered = MessagesIn(common, "tls_certificate_sds_secret_configs").size();
  return certificates;
}

// Other ways to come by a certificate.
constexpr std::string_view kOtherWays[] = {
    "custom_handshaker",
    "custom_tls_certificate_selector",
    "tls_certificate_certificate_provider",
    "tls_certificate_certificate_provider_instance",
    "tls_certificate_provider_instance",
};

void CheckServerCertificates(const Visited& at, Context& context) {
  const std::optional<View> common = MessageIn(at.message, "common_tls_context");
  const Certificates certificates = common ? CertificatesOf(*common) : Certificates();
  if (certificates.listed > 0 && certificates.discovered > 0) {
    context.Add("XDS-V100", At(at, "common_tls_context"),
                "has certificates both in tls_certificates and in tls_certificate_sds_secret_configs");
    return;
  }
  const bool other = common && std::any_of(std::begin(kOtherWays), std::end(kOtherWays),
                                           [&](std::string_view field) { return Has(*common, field); });
  if (other || certificates.filled + certificates.discovered > 0) return;
  context.Add("XDS-V100", common ? At(at, "common_tls_context") : Place{at}, "a server needs a certificate");
}

void CheckClientCertificates(const Visited& at, Context& context) {
  const std::optional<View> common = MessageIn(at.message, "common_tls_context");
  if (!common || Has(*common, "custom_tls_certificate_selector")) return;
  const Certificates certificates = CertificatesOf(*common);
  const std::size_t all = certificates.listed + certificates.discovered;
  if (all < 2) return;
  context.Add("XDS-V100", At(at, "common_tls_context"), fmt::format("a client has one certificate, and not {}", all));
}

void CheckTicketKeys(const Visited& at, Context& context) {
  constexpr std::size_t kSize = 80;
  std::size_t index = 0;
  for (const View& key : MessagesIn(at.message, "keys")) {
    for (const std::string_view form : {"inline_string", "inline_bytes"}) {
      const std::optional<wire::Value> text = key.Get(form);
      if (!text || text->AsText().size() == kSize || IsRedacted(text->AsText())) continue;
      context.Add("XDS-V100", At(at, "keys", index),
                  fmt::format("a session ticket key has {} bytes, and not {}", kSize, text->AsText().size()));
    }
    ++index;
  }
}

// ---- Whom a context trusts. [XDS-V101, V104, V106]

// Tells whether a context knows authorities, or somebody who does.
bool HasAuthorities(const View& validation) {
  return IsFilled(validation, "trusted_ca") || Has(validation, "ca_certificate_provider_instance") ||
         Has(validation, "system_root_certs") || Has(validation, "custom_validator_config");
}

// Says what of a context makes no sense without authorities. What is to be merged with another context may have them
// there.
void CheckAuthorities(const Visited& at, Context& context) {
  if (HasAuthorities(at.message) || at.field == nullptr || at.field->name != "validation_context") return;
  const auto add = [&](std::string_view field, std::string_view what) {
    finding::Finding* const finding =
        context.Add("XDS-V101", At(at, field), fmt::format("{} needs a trusted_ca", what));
    if (finding == nullptr || at.above->message.type().full_name() != kSecret) return;
    finding->severity = finding::Severity::kWarning;
    finding->help = "it is taken only where a default_validation_context has the trusted_ca";
  };
  for (const std::string_view field : {"match_typed_subject_alt_names", "match_subject_alt_names"}) {
    if (!MessagesIn(at.message, field).empty()) add(field, "to compare names");
  }
  if (IsFilled(at.message, "crl")) add("crl", "a list of revoked certificates");
  if (IsOn(at.message, "allow_expired_certificate")) add("allow_expired_certificate", "to allow expired certificates");
}

// The ways to say whom a context trusts, of which it has one.
constexpr std::string_view kValidations[] = {
    "combined_validation_context",
    "validation_context",
    "validation_context_certificate_provider",
    "validation_context_certificate_provider_instance",
    "validation_context_sds_secret_config",
};

bool HasValidation(const std::optional<View>& common) {
  return common && std::any_of(std::begin(kValidations), std::end(kValidations),
                               [&](std::string_view field) { return Has(*common, field); });
}

void CheckClients(const Visited& at, Context& context) {
  if (Has(at.message, "require_client_certificate")) return;
  if (!HasValidation(MessageIn(at.message, "common_tls_context"))) return;
  context.Add("XDS-V104", {at}, "does not say by require_client_certificate whether a client needs a certificate");
}

// Tells whether a validation context looks at the server's certificate at all.
bool Verifies(const View& validation) {
  return HasAuthorities(validation) || !TextsIn(validation, "verify_certificate_hash").empty() ||
         !TextsIn(validation, "verify_certificate_spki").empty();
}

void CheckServer(const Visited& at, Context& context) {
  const std::optional<View> common = MessageIn(at.message, "common_tls_context");
  const std::optional<View> validation = common ? MessageIn(*common, "validation_context") : std::nullopt;
  const bool verifies = validation ? Verifies(*validation) : HasValidation(common);
  if (IsOn(at.message, "auto_sni_san_validation") &&
      (!HasValidation(common) || (validation && !HasAuthorities(*validation)))) {
    context.Add("XDS-V101", At(at, "auto_sni_san_validation"), "to compare names needs a trusted_ca");
  } else if (!verifies) {
    context.Add("XDS-V106", {at}, "the server's certificate is not verified");
  }
}

// ---- The name of the server. [XDS-V106]

constexpr std::string_view kTls = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr std::string_view kQuic = "envoy.extensions.transport_sockets.quic.v3.QuicUpstreamTransport";
constexpr std::string_view kHttpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

bool NamesItself(const View& options_holder) {
  const std::optional<View> options = MessageIn(options_holder, "upstream_http_protocol_options");
  return options && IsOn(*options, "auto_sni");
}

// Tells whether a cluster calls the server by the name in the request.
bool HasAutoSni(const Visited& cluster, wire::Types& types) {
  if (NamesItself(cluster.message)) return true;
  for (const wire::Present& present : cluster.fields->known()) {
    if (present.field->name != "typed_extension_protocol_options") continue;
    for (const wire::MapEntry& entry : wire::SortedMap(present)) {
      if (entry.key.AsText() != kHttpOptions) continue;
      const absl::StatusOr<wire::Message> options = wire::Open(entry.value.AsMessage(), types);
      return options.ok() && NamesItself(options->view());
    }
  }
  return false;
}

// Tells whether a transport socket verifies the server without a word about its name.
bool LacksName(const View& socket, wire::Types& types) {
  const std::optional<View> config = MessageIn(socket, "typed_config");
  const std::string_view type = config ? TypeInAny(*config, types) : std::string_view();
  if (type != kTls && type != kQuic) return false;
  const absl::StatusOr<wire::Message> opened = wire::Open(*config, types);
  const std::optional<View> tls = !opened.ok()   ? std::nullopt
                                  : type == kTls ? std::optional(opened->view())
                                                 : MessageIn(opened->view(), "upstream_tls_context");
  if (!tls || !tls->GetText("sni").empty() || IsOn(*tls, "auto_host_sni")) return false;
  return HasValidation(MessageIn(*tls, "common_tls_context"));
}

void CheckNames(const Visited& at, Context& context) {
  constexpr std::string_view kMessage = "the server is verified, but not called by a name: there is no sni";
  if (HasAutoSni(at, context.types)) return;
  const std::optional<View> socket = MessageIn(at.message, "transport_socket");
  if (socket && LacksName(*socket, context.types)) {
    context.Add("XDS-V106", At(at, "transport_socket"), std::string(kMessage));
  }
  std::size_t index = 0;
  for (const View& match : MessagesIn(at.message, "transport_socket_matches")) {
    const std::optional<View> other = MessageIn(match, "transport_socket");
    if (other && LacksName(*other, context.types)) {
      context.Add("XDS-V106", At(at, "transport_socket_matches", index), std::string(kMessage));
    }
    ++index;
  }
}

// ---- The table.

constexpr std::string_view kCertificate[] = {"envoy.extensions.transport_sockets.tls.v3.TlsCertificate"};
constexpr std::string_view kCluster[] = {"envoy.config.cluster.v3.Cluster"};
constexpr std::string_view kDataSource[] = {"envoy.config.core.v3.DataSource"};
constexpr std::string_view kDownstream[] = {"envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"};
constexpr std::string_view kTicketKeys[] = {"envoy.extensions.transport_sockets.tls.v3.TlsSessionTicketKeys"};
constexpr std::string_view kUpstream[] = {kTls};
constexpr std::string_view kValidation[] = {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext"};

constexpr std::string_view kSourceReads[] = {
    "envoy.config.core.v3.DataSource.inline_bytes",
    "envoy.config.core.v3.DataSource.inline_string",
};
constexpr std::string_view kCertificateReads[] = {
    "envoy.config.core.v3.DataSource.inline_bytes",
    "envoy.config.core.v3.DataSource.inline_string",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.certificate_chain",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.ocsp_staple",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.password",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.pkcs12",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.private_key",
    "envoy.extensions.transport_sockets.tls.v3.TlsCertificate.private_key_provider",
};
constexpr std::string_view kTicketReads[] = {"envoy.extensions.transport_sockets.tls.v3.TlsSessionTicketKeys.keys"};
constexpr std::string_view kServerReads[] = {
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.custom_handshaker",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.custom_tls_certificate_selector",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificate_provider_instance",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificate_sds_secret_configs",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificates",
    "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext.common_tls_context",
    "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext.require_client_certificate",
};
constexpr std::string_view kClientReads[] = {
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.custom_tls_certificate_selector",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificate_sds_secret_configs",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.tls_certificates",
    "envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.validation_context",
    "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext.common_tls_context",
};
constexpr std::string_view kValidationReads[] = {
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.crl",
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.custom_validator_config",
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.match_typed_subject_alt_names",
    "envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext.trusted_ca",
};
constexpr std::string_view kNameReads[] = {
    "envoy.config.cluster.v3.Cluster.transport_socket",
    "envoy.config.cluster.v3.Cluster.transport_socket_matches",
    "envoy.config.cluster.v3.Cluster.typed_extension_protocol_options",
    "envoy.config.core.v3.TransportSocket.typed_config",
    "envoy.config.core.v3.UpstreamHttpProtocolOptions.auto_sni",
    "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext.auto_host_sni",
    "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext.sni",
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.upstream_http_protocol_options",
};

constexpr std::array kChecks = {
    Check{"XDS-V100", kDownstream, kServerReads, CheckServerCertificates},
    Check{"XDS-V100", kUpstream, kClientReads, CheckClientCertificates},
    Check{"XDS-V100", kTicketKeys, kTicketReads, CheckTicketKeys},
    Check{"XDS-V101", kValidation, kValidationReads, CheckAuthorities},
    Check{"XDS-V104", kDownstream, kServerReads, CheckClients},
    Check{"XDS-V105", kCertificate, kCertificateReads, CheckCertificate},
    Check{"XDS-V105", kValidation, kValidationReads, CheckTrusted},
    Check{"XDS-V106", kUpstream, kClientReads, CheckServer},
    Check{"XDS-V106", kCluster, kNameReads, CheckNames},
    Check{"XDS-V107", kDataSource, kSourceReads, CheckRedacted},
};

}  // namespace

std::span<const Check> TlsChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
