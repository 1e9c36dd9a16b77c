#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "tests/fake/certificates.h"
#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class TlsChecksTest : public ExamplesTest {
 protected:
  // An inline DataSource.
  static std::string Inline(const std::string& text) {
    return fmt::format("{{inline_string: \"{}\"}}", absl::StrReplaceAll(text, {{"\n", "\\n"}}));
  }
  // A secret with a certificate.
  static std::string Secret(const std::string& chain, const std::string& key, std::string_view more = "") {
    return fmt::format("tls_certificate: {{certificate_chain: {}, private_key: {}, {}}}", Inline(chain), Inline(key),
                       more);
  }

  fake::Authority authority_{"ca"};
  fake::KeyAndCertificate own_ = authority_.Sign("DNS:a");
  fake::KeyAndCertificate other_ = authority_.Sign("DNS:b");
};

// Contexts stand in the transport sockets of filter chains and clusters.
std::string Server(std::string_view context) {
  return fmt::format(R"(
filter_chains:
- transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      {}
)",
                     context);
}

std::string Client(std::string_view context, std::string_view cluster = "") {
  return fmt::format(R"(
{}
transport_socket:
  name: tls
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
    {}
)",
                     cluster, context);
}

constexpr std::string_view kServerPath = "filter_chains[0].transport_socket.typed_config";
constexpr std::string_view kClientPath = "transport_socket.typed_config";

TEST_F(TlsChecksTest, AServerHasCertificatesOfOneSource) {
  const auto of = [&](std::string_view common) {
    return Findings("XDS-V100", fake::kLds, Server(fmt::format("common_tls_context: {}", common)));
  };
  constexpr std::string_view kStatic = "tls_certificates: [{certificate_chain: {filename: a}}]";
  constexpr std::string_view kSds = "tls_certificate_sds_secret_configs: [{name: a}]";
  EXPECT_THAT(of(fmt::format("{{{}}}", kStatic)), IsEmpty());
  EXPECT_THAT(of(fmt::format("{{{}}}", kSds)), IsEmpty());
  EXPECT_THAT(of("{custom_tls_certificate_selector: {name: a}}"), IsEmpty());
  EXPECT_THAT(of("{tls_certificate_provider_instance: {instance_name: a}}"), IsEmpty());
  const std::string path = fmt::format("{}.common_tls_context: ", kServerPath);
  EXPECT_THAT(of("{}"), ElementsAre(path + "a server needs a certificate"));
  EXPECT_THAT(of("{tls_certificates: [{}]}"), ElementsAre(path + "a server needs a certificate"));
  EXPECT_THAT(
      of(fmt::format("{{{}, {}}}", kStatic, kSds)),
      ElementsAre(path + "has certificates both in tls_certificates and in tls_certificate_sds_secret_configs"));
  EXPECT_THAT(Findings("XDS-V100", fake::kLds, Server("require_sni: true")),
              ElementsAre(fmt::format("{}: a server needs a certificate", kServerPath)));
}

TEST_F(TlsChecksTest, AClientHasOneCertificate) {
  const auto of = [&](std::string_view common) {
    return Findings("XDS-V100", fake::kCds, Client(fmt::format("common_tls_context: {{{}}}", common)));
  };
  EXPECT_THAT(of(""), IsEmpty());
  EXPECT_THAT(of("tls_certificates: [{}]"), IsEmpty());
  EXPECT_THAT(of("tls_certificates: [{}], tls_certificate_sds_secret_configs: [{name: a}]"),
              ElementsAre(fmt::format("{}.common_tls_context: a client has one certificate, and not 2", kClientPath)));
}

TEST_F(TlsChecksTest, ATicketKeyHas80Bytes) {
  const auto of = [&](std::size_t first, std::size_t second) {
    return Findings("XDS-V100", fake::kSds,
                    fmt::format("session_ticket_keys: {{keys: [{{inline_string: {}}}, {{inline_string: {}}}, "
                                "{{filename: f}}]}}",
                                std::string(first, 'k'), std::string(second, 'k')));
  };
  EXPECT_THAT(of(80, 80), IsEmpty());
  EXPECT_THAT(of(80, 79), ElementsAre("session_ticket_keys.keys[1]: a session ticket key has 80 bytes, and not 79"));
}

TEST_F(TlsChecksTest, NamesAreComparedWhereAuthoritiesAreKnown) {
  const auto of = [&](std::string_view validation) {
    return Findings("XDS-V101", fake::kCds,
                    Client(fmt::format("common_tls_context: {{validation_context: {{{}}}}}", validation)));
  };
  constexpr std::string_view kSan = "match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: a}}]";
  const std::string path = fmt::format("{}.common_tls_context.validation_context.", kClientPath);
  EXPECT_THAT(of(kSan), ElementsAre(path + "match_typed_subject_alt_names: to compare names needs a trusted_ca"));
  EXPECT_THAT(of(fmt::format("{}, trusted_ca: {{inline_string: \"\"}}", kSan)),
              ElementsAre(path + "match_typed_subject_alt_names: to compare names needs a trusted_ca"));
  EXPECT_THAT(of("match_subject_alt_names: [{exact: a}], crl: {filename: f}, allow_expired_certificate: true"),
              ElementsAre(path + "match_subject_alt_names: to compare names needs a trusted_ca",
                          path + "crl: a list of revoked certificates needs a trusted_ca",
                          path + "allow_expired_certificate: to allow expired certificates needs a trusted_ca"));
  EXPECT_THAT(of(fmt::format("{}, trusted_ca: {{filename: f}}", kSan)), IsEmpty());
  EXPECT_THAT(of(fmt::format("{}, custom_validator_config: {{name: a}}", kSan)), IsEmpty());
  EXPECT_THAT(of("verify_certificate_hash: [a]"), IsEmpty());
}

TEST_F(TlsChecksTest, AuthoritiesMayComeLater) {
  constexpr std::string_view kValidation = "{match_subject_alt_names: [{exact: a}]}";
  EXPECT_THAT(Findings("XDS-V101", fake::kCds,
                       Client(fmt::format("common_tls_context: {{combined_validation_context: "
                                          "{{default_validation_context: {}}}}}",
                                          kValidation))),
              IsEmpty());
  const auto findings = Inspect(fake::kSds, fmt::format("validation_context: {}", kValidation));
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "XDS-V101"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->severity, finding::Severity::kWarning);
}

TEST_F(TlsChecksTest, TheNameOfTheServerIsComparedWhereAuthoritiesAreKnown) {
  const auto of = [&](std::string_view common) {
    return Findings("XDS-V101", fake::kCds,
                    Client(fmt::format("auto_sni_san_validation: true\n    common_tls_context: {}", common)));
  };
  const std::string finding =
      fmt::format("{}.auto_sni_san_validation: to compare names needs a trusted_ca", kClientPath);
  EXPECT_THAT(of("{}"), ElementsAre(finding));
  EXPECT_THAT(of("{validation_context: {}}"), ElementsAre(finding));
  EXPECT_THAT(of("{validation_context: {trusted_ca: {filename: f}}}"), IsEmpty());
  EXPECT_THAT(of("{validation_context_sds_secret_config: {name: a}}"), IsEmpty());
}

const Example kExamples[] = {
    {"XDS-V104", fake::kLds, R"(
filter_chains:
- transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      common_tls_context: {validation_context: {}}
)",
     "filter_chains[0].transport_socket.typed_config: does not say by require_client_certificate whether a client "
     "needs "
     "a certificate",
     R"(
filter_chains:
- transport_socket:
    name: tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      require_client_certificate: false
      common_tls_context: {validation_context: {}}
)"},
    {"XDS-V105", fake::kSds, "tls_certificate: {private_key: {filename: f}}",
     "tls_certificate: has no certificate_chain",
     "tls_certificate: {certificate_chain: {filename: f}, private_key: {environment_variable: f}}"},
    {"XDS-V105", fake::kSds, "tls_certificate: {certificate_chain: {filename: f}, private_key: {inline_string: \"\"}}",
     "tls_certificate: has no private_key",
     "tls_certificate: {certificate_chain: {filename: f}, private_key_provider: {provider_name: p}}"},
    {"XDS-V105", fake::kSds, "tls_certificate: {pkcs12: {filename: f}, private_key: {filename: g}}",
     "tls_certificate.private_key: pkcs12 takes the place of private_key", "tls_certificate: {pkcs12: {filename: f}}"},
    {"XDS-V105", fake::kSds, "tls_certificate: {ocsp_staple: {inline_string: s}}",
     "tls_certificate.ocsp_staple: a staple is binary, and does not fit into inline_string",
     "tls_certificate: {pkcs12: {filename: f}, ocsp_staple: {inline_bytes: AAAA}}"},
    {"XDS-V105", fake::kSds, "validation_context: {trusted_ca: {inline_bytes: AAAA}}",
     "validation_context.trusted_ca: there is no PEM certificate in it",
     "validation_context: {trusted_ca: {filename: f}}"},
    {"XDS-V105", fake::kSds, "validation_context: {crl: {inline_string: none}}",
     "validation_context.crl: there is no PEM list of revoked certificates in it", "validation_context: {}"},
    {"XDS-V107", fake::kSds, "tls_certificate: {private_key: {inline_string: \"[redacted]\"}}",
     "tls_certificate.private_key.inline_string: was taken out of the configuration and is \"[redacted]\"",
     "tls_certificate: {private_key: {inline_string: key}}"},
    {"XDS-V107", fake::kSds, "tls_certificate: {private_key: {inline_string: \"[redacted]\"}}",
     "tls_certificate.private_key.inline_string: was taken out of the configuration and is \"[redacted]\"",
     R"(
"@type": type.googleapis.com/envoy.admin.v3.ConfigDump
configs:
- "@type": type.googleapis.com/envoy.admin.v3.SecretsConfigDump
  static_secrets:
  - secret:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret
      tls_certificate: {private_key: {inline_string: "[redacted]"}}
)"},
    {"XDS-V107", fake::kSds, "generic_secret: {secret: {inline_bytes: W3JlZGFjdGVkXQ==}}",
     "generic_secret.secret.inline_bytes: was taken out of the configuration and is \"[redacted]\"",
     "generic_secret: {secret: {inline_bytes: W3JlZGFjdGVk}}"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(TlsChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

TEST_F(TlsChecksTest, AnInlineCertificateFitsItsKey) {
  const auto of = [&](const std::string& secret) { return Findings("XDS-V105", fake::kSds, secret); };
  EXPECT_THAT(of(Secret(own_.certificate_pem, own_.key_pem)), IsEmpty());
  EXPECT_THAT(of(Secret(own_.certificate_pem, other_.key_pem)),
              ElementsAre("tls_certificate.private_key: the key does not belong to the certificate"));
  EXPECT_THAT(of(Secret(own_.key_pem, own_.certificate_pem)),
              ElementsAre("tls_certificate.certificate_chain: there is no PEM certificate in it",
                          "tls_certificate.private_key: there is no PEM private key in it"));
  EXPECT_THAT(of(Secret(own_.certificate_pem, fake::EncryptedKey())),
              ElementsAre("tls_certificate.private_key: the private key is encrypted, and there is no password"));
  EXPECT_THAT(of(Secret(own_.certificate_pem, fake::EncryptedKey(), "password: {filename: p}")), IsEmpty());
}

TEST_F(TlsChecksTest, AnExpiredCertificateIsAWarning) {
  const fake::KeyAndCertificate old = authority_.Sign("DNS:a", -3, -2);
  const auto findings = Inspect(fake::kSds, Secret(old.certificate_pem, old.key_pem));
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].severity, finding::Severity::kWarning);
  EXPECT_THAT(findings[0].message, StartsWith("the certificate is not valid: it expired on 20"));
}

// Envoy passes over it, as long as there are others.
TEST_F(TlsChecksTest, AnEmptyCertificateIsNone) {
  EXPECT_THAT(Findings("XDS-V105", fake::kLds, Server("common_tls_context: {tls_certificates: [{}]}")), IsEmpty());
  EXPECT_THAT(Findings("XDS-V105", fake::kSds, "tls_certificate: {}"),
              ElementsAre("tls_certificate: has no certificate_chain", "tls_certificate: has no private_key"));
}

TEST_F(TlsChecksTest, WhatIsRedactedIsSaidOnce) {
  EXPECT_THAT(Findings("XDS-V105", fake::kSds, Secret(own_.certificate_pem, "[redacted]")), IsEmpty());
}

TEST_F(TlsChecksTest, NoFindingHasAPieceOfAKey) {
  for (const finding::Finding& finding : Inspect(fake::kSds, Secret("my-chain", "my-key"))) {
    EXPECT_EQ(finding::ToText(finding).find("my-"), std::string::npos);
    EXPECT_EQ(finding.value.find("my-"), std::string::npos);
  }
}

TEST_F(TlsChecksTest, AClientVerifiesTheServer) {
  const auto of = [&](std::string_view common) {
    return Findings("XDS-V106", fake::kCds, Client(fmt::format("sni: a\n    common_tls_context: {}", common)));
  };
  const std::string finding = fmt::format("{}: the server's certificate is not verified", kClientPath);
  EXPECT_THAT(of("{}"), ElementsAre(finding));
  EXPECT_THAT(of("{validation_context: {}}"), ElementsAre(finding));
  EXPECT_THAT(of("{validation_context: {verify_certificate_spki: [a]}}"), IsEmpty());
  EXPECT_THAT(of("{validation_context_sds_secret_config: {name: a}}"), IsEmpty());
}

TEST_F(TlsChecksTest, AClientCallsTheServerByItsName) {
  constexpr std::string_view kVerified = "common_tls_context: {validation_context: {trusted_ca: {filename: f}}}";
  const std::string finding = "the server is verified, but not called by a name: there is no sni";
  const auto of = [&](const std::string& cluster) { return Findings("XDS-V106", fake::kCds, cluster); };
  EXPECT_THAT(of(Client(kVerified)), ElementsAre("transport_socket: " + finding));
  EXPECT_THAT(of(Client(fmt::format("{}\n    sni: a", kVerified))), IsEmpty());
  EXPECT_THAT(of(Client(fmt::format("{}\n    auto_host_sni: true", kVerified))), IsEmpty());
  EXPECT_THAT(of(Client(kVerified, "upstream_http_protocol_options: {auto_sni: true}")), IsEmpty());
  EXPECT_THAT(of(Client(kVerified, R"(
typed_extension_protocol_options:
  envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
    "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
    upstream_http_protocol_options: {auto_sni: true}
)")),
              IsEmpty());
  EXPECT_THAT(of(R"(
transport_socket_matches:
- name: m
  transport_socket:
    name: quic
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicUpstreamTransport
      upstream_tls_context: {common_tls_context: {validation_context_sds_secret_config: {name: c}}}
)"),
              ElementsAre("transport_socket_matches[0]: " + finding));
}

}  // namespace
}  // namespace xdscope::rules
