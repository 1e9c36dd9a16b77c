// What bootstraps demand of a server's certificate: what is understood comes out as settings, and what is not is an
// error of the server, so that nobody connects with less than was asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "lib/config/bootstrap.h"

namespace xdscope::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using transport::NameMatcher;
using transport::Tls;

constexpr std::string_view kHexHash = "df6ff72fe9116521268f6f2dd4966f51df479883fe7037b39f75916ac3049d1a";
constexpr std::string_view kBase64Hash = "NvqYIYSbgK2vCJpQhObf77vv+bQWtc5ek5RIOwPiC9A=";

class Verification : public testing::Test {
 protected:
  absl::StatusOr<ServerConfig> Read(const std::string& text) {
    const absl::StatusOr<Document> document = ParseDocument(text, "b.yaml");
    if (!document.ok()) return document.status();
    const Surroundings here = {[this](const std::string& path, std::size_t /*most*/) -> absl::StatusOr<std::string> {
                                 const auto found = files_.find(path);
                                 if (found == files_.end()) return absl::InvalidArgumentError("No such file");
                                 return found->second;
                               },
                               [](std::string_view /*name*/) { return std::nullopt; }};
    const absl::StatusOr<Bootstrap> bootstrap = ReadBootstrap(*document, types_, here);
    if (!bootstrap.ok()) return bootstrap.status();
    return *bootstrap->MainServer();
  }

  // Reads a bootstrap whose cluster has these lines, the first of which is the 11th of the file.
  ServerConfig WithCluster(const std::string& lines, const std::string& elsewhere = "") {
    absl::StatusOr<ServerConfig> server = Read(R"(
dynamic_resources:
  ads_config: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: xds}}]}
static_resources:
  clusters:
  - name: xds
    load_assignment:
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: 10.1.2.3, port_value: 18000}}}
)" + lines + "\n" + elsewhere);
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : ServerConfig();
  }

  ServerConfig WithContext(const std::string& upstream, const std::string& elsewhere = "") {
    return WithCluster("    transport_socket: {typed_config: {'@type': x/a.UpstreamTlsContext, " + upstream + "}}",
                       elsewhere);
  }
  ServerConfig WithCommon(const std::string& common, const std::string& elsewhere = "") {
    return WithContext("common_tls_context: {" + common + "}", elsewhere);
  }
  ServerConfig WithValidation(const std::string& context) {
    return WithCommon("validation_context: {" + context + "}");
  }
  // Returns the settings of a bootstrap that can be followed.
  static Tls Good(const ServerConfig& server) {
    EXPECT_TRUE(server.verification.ok()) << server.verification;
    return server.channel.tls.value_or(Tls());
  }
  static std::string ErrorOf(const ServerConfig& server) {
    EXPECT_TRUE(server.channel.tls.has_value()) << "who says whom to trust still speaks TLS";
    return server.verification.ok() ? "no error" : std::string(base::Message(server.verification));
  }

  std::map<std::string, std::string> files_;
  const schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(Verification, NothingIsVerifiedWhereNothingIsAskedFor) {
  for (const char* const context : {"", "watched_directory: {path: /x}", "allow_expired_certificate: true"}) {
    const ServerConfig server = WithValidation(context);
    EXPECT_TRUE(Good(server).insecure) << context;
    EXPECT_THAT(server.tls_where, HasSubstr("b.yaml:11: static_resources.clusters[0].transport_socket.typed_config"));
  }
  EXPECT_TRUE(Good(WithContext("sni: x")).insecure);
}

TEST_F(Verification, AnAuthorityIsVerifiedAndNoName) {
  const Tls tls = Good(WithValidation("trusted_ca: {inline_string: ca}"));
  EXPECT_EQ(tls.ca_pem, "ca");
  EXPECT_FALSE(tls.insecure);
  EXPECT_TRUE(tls.check_chain);
  EXPECT_FALSE(tls.check_host);
  EXPECT_THAT(tls.names, IsEmpty());
}

TEST_F(Verification, TheRootsOfTheSystem) {
  const Tls tls = Good(WithValidation("system_root_certs: {}"));
  EXPECT_EQ(tls.ca_pem, "");
  EXPECT_FALSE(tls.insecure);
  EXPECT_TRUE(tls.check_chain);
  EXPECT_EQ(Good(WithValidation("system_root_certs: {}, trusted_ca: {inline_string: ca}")).ca_pem, "ca");
}

TEST_F(Verification, HashesAreVerifiedWithAndWithoutAnAuthority) {
  const Tls alone = Good(WithValidation("verify_certificate_hash: [" + std::string(kHexHash) + "]"));
  EXPECT_THAT(alone.certificate_hashes, ElementsAre(SizeIs(32)));
  EXPECT_EQ(alone.certificate_hashes[0].substr(0, 2), "\xdf\x6f");
  EXPECT_FALSE(alone.insecure);
  EXPECT_FALSE(alone.check_chain);
  const Tls both = Good(
      WithValidation("trusted_ca: {inline_string: ca}, verify_certificate_spki: [" + std::string(kBase64Hash) + "]"));
  EXPECT_THAT(both.key_hashes, ElementsAre(SizeIs(32)));
  EXPECT_TRUE(both.check_chain);
  std::string with_colons(kHexHash);
  for (std::size_t at = 2; at < with_colons.size(); at += 3) with_colons.insert(at, ":");
  EXPECT_EQ(Good(WithValidation("verify_certificate_hash: ['" + with_colons + "']")).certificate_hashes,
            alone.certificate_hashes);
}

TEST_F(Verification, NamesAreMatchersOfTheirKind) {
  const Tls tls =
      Good(WithValidation("trusted_ca: {inline_string: ca}, match_typed_subject_alt_names: ["
                          "{san_type: URI, matcher: {prefix: 'spiffe://x', ignore_case: true}}, "
                          "{san_type: DNS, matcher: {safe_regex: {regex: 'a.*'}}}, "
                          "{san_type: IP_ADDRESS, matcher: {exact: 1.2.3.4}}]"));
  EXPECT_THAT(tls.names,
              ElementsAre(NameMatcher{NameMatcher::Kind::kUri, NameMatcher::How::kPrefix, "spiffe://x", true},
                          NameMatcher{NameMatcher::Kind::kDns, NameMatcher::How::kRegex, "a.*"},
                          NameMatcher{NameMatcher::Kind::kAddress, NameMatcher::How::kExact, "1.2.3.4"}));
  const std::string old = "trusted_ca: {inline_string: ca}, match_subject_alt_names: [{suffix: .old}]";
  EXPECT_THAT(Good(WithValidation(old)).names,
              ElementsAre(NameMatcher{NameMatcher::Kind::kAny, NameMatcher::How::kSuffix, ".old"}));
  EXPECT_THAT(Good(WithValidation("trusted_ca: {inline_string: ca}, verify_subject_alt_name: [older]")).names,
              ElementsAre(NameMatcher{NameMatcher::Kind::kAny, NameMatcher::How::kExact, "older"}));
  EXPECT_THAT(
      Good(WithValidation(old + ", match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: new}}]")).names,
      ElementsAre(NameMatcher{NameMatcher::Kind::kDns, NameMatcher::How::kExact, "new"}))
      << "the older field does not count beside the newer";
}

TEST_F(Verification, TheSniIsANameOnlyWhereThatIsSaid) {
  const std::string ca = "common_tls_context: {validation_context: {trusted_ca: {inline_string: ca}}}";
  EXPECT_THAT(Good(WithContext(ca + ", sni: plane.example")).names, IsEmpty());
  EXPECT_THAT(Good(WithContext(ca + ", sni: plane.example, auto_sni_san_validation: true")).names,
              ElementsAre(NameMatcher{NameMatcher::Kind::kDns, NameMatcher::How::kExact, "plane.example"}));
  EXPECT_THAT(ErrorOf(WithContext("sni: plane.example, auto_sni_san_validation: true")), HasSubstr("no trusted_ca"));
  EXPECT_THAT(ErrorOf(WithContext(ca + ", auto_host_sni: true, auto_sni_san_validation: true")),
              HasSubstr("auto_sni_san_validation: cannot be checked with auto_host_sni"));
}

TEST_F(Verification, UntrustedCertificatesAreTakenWhereThatIsSaid) {
  EXPECT_TRUE(
      Good(WithValidation("trusted_ca: {inline_string: ca}, trust_chain_verification: ACCEPT_UNTRUSTED")).insecure);
  EXPECT_FALSE(
      Good(WithValidation("trusted_ca: {inline_string: ca}, trust_chain_verification: VERIFY_TRUST_CHAIN")).insecure);
}

TEST_F(Verification, WhatIsNotUnderstoodIsAnError) {
  const std::string ca = "trusted_ca: {inline_string: ca}, ";
  const std::pair<std::string, std::string> cases[] = {
      {"ca_certificate_provider_instance: {instance_name: x}", "ca_certificate_provider_instance: cannot be checked"},
      {"custom_validator_config: {name: spiffe}", "custom_validator_config: cannot be checked"},
      {ca + "custom_validator_config: {name: spiffe}", "custom_validator_config: cannot be checked"},
      {ca + "crl: {filename: /x}", "crl: cannot be checked"},
      {ca + "maxVerifyDepth: 1", ".maxVerifyDepth: cannot be checked"},
      {ca + "require_signed_certificate_timestamp: true", "cannot be checked"},
      {ca + "tomorrow: {}", ".tomorrow: cannot be checked"},
      {"trusted_ca: {}", "trusted_ca: expected filename, inline_string"},
      {"trusted_ca: {inline_string: ''}", "trusted_ca: is empty"},
      {"trusted_ca: {inline_string: \"\\n\"}", "trusted_ca: is empty"},
      {"trusted_ca: {filename: /nowhere}", "trusted_ca.filename: No such file"},
      {"trusted_ca: {inline_string: '-----BEGIN X509 CRL-----'}", "revoked"},
      {"verify_certificate_hash: [abc]", "verify_certificate_hash[0]: is no SHA-256 in hexadecimal digits"},
      {"verify_certificate_hash: abc", "verify_certificate_hash: expected a list"},
      {"verify_certificate_spki: [abc]", "verify_certificate_spki[0]: is no SHA-256 in base64"},
      {"match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: x}}]", "no trusted_ca: Envoy refuses that"},
      {ca + "match_typed_subject_alt_names: [{san_type: OTHER_NAME, oid: 1.2.3, matcher: {exact: x}}]",
       "san_type: \"OTHER_NAME\" cannot be checked"},
      {ca + "match_typed_subject_alt_names: [{matcher: {exact: x}}]", "san_type: \"\" cannot be checked"},
      {ca + "match_typed_subject_alt_names: [{san_type: DNS, matcher: {custom: {}}}]", "matcher: expected exact"},
      {ca + "match_typed_subject_alt_names: [{san_type: DNS, matcher: {safe_regex: {regex: '('}}}]", "missing )"},
      {ca + "trust_chain_verification: NEVER", "expected VERIFY_TRUST_CHAIN or ACCEPT_UNTRUSTED"},
  };
  for (const auto& [context, error] : cases) {
    const std::string said = ErrorOf(WithValidation(context));
    EXPECT_THAT(said, HasSubstr(error)) << context;
    EXPECT_THAT(said, testing::StartsWith("b.yaml:11: static_resources.clusters[0].transport_socket.typed_config"));
  }
}

TEST_F(Verification, WhatIsNotUnderstoodAroundTheContextIsAnErrorToo) {
  EXPECT_THAT(ErrorOf(WithCommon("validation_context_certificate_provider_instance: {instance_name: x}")),
              HasSubstr("cannot be checked"));
  EXPECT_THAT(ErrorOf(WithCommon("custom_handshaker: {name: x}")), HasSubstr("custom_handshaker"));
  EXPECT_THAT(ErrorOf(WithCommon("combined_validation_context: {validation_context_certificate_provider: {name: x}}")),
              HasSubstr("cannot be checked"));
  EXPECT_THAT(ErrorOf(WithContext("tomorrow: true")), HasSubstr("cannot be checked"));
  EXPECT_THAT(ErrorOf(WithCluster("    transport_socket_matches: [{name: a, match: {}}]")),
              HasSubstr("b.yaml:11: static_resources.clusters[0].transport_socket_matches[0]: is not followed"));
  const std::string socket =
      "    transport_socket: {typed_config: {'@type': x/a.UpstreamTlsContext, common_tls_context: "
      "{validation_context: {trusted_ca: {inline_string: ca}}}}}\n";
  EXPECT_THAT(ErrorOf(WithCluster(socket + "    typed_extension_protocol_options: {http: {'@type': x, "
                                           "upstream_http_protocol_options: {auto_san_validation: true}}}")),
              HasSubstr("auto_san_validation: cannot be checked"));
}

TEST_F(Verification, TheVersionOfTlsThatIsAskedForIsSpokenOrAnError) {
  for (const char* const spoken : {"TLS_AUTO", "TLSv1_0", "TLSv1_1", "TLSv1_2"}) {
    Good(WithCommon(std::string("tls_params: {tls_maximum_protocol_version: TLSv1_3, cipher_suites: [x], "
                                "tls_minimum_protocol_version: ") +
                    spoken + "}"));
  }
  for (const char* const more : {"TLSv1_3", "4", "TLSv1_4"}) {
    EXPECT_THAT(ErrorOf(WithCommon(std::string("tls_params: {tlsMinimumProtocolVersion: ") + more + "}")),
                HasSubstr("tls_params.tls_minimum_protocol_version: cannot be enforced; TLSv1_2 can"));
  }
  EXPECT_THAT(ErrorOf(WithCommon("tls_params: {compliance_policies: [FIPS_202205]}")),
              HasSubstr("tls_params.compliance_policies: cannot be checked"));
}

TEST_F(Verification, ASocketOfV2CountsToo) {
  EXPECT_EQ(Good(WithCluster("    tls_context: {common_tls_context: {validation_context: "
                             "{trusted_ca: {inline_string: ca}}}}"))
                .ca_pem,
            "ca");
}

TEST_F(Verification, SecretsComeFromFiles) {
  files_["/ca.yaml"] = R"(resources:
- "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret
  name: xds_trusted_ca
  validation_context:
    trusted_ca: {filename: /ca.pem}
    match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: plane}}]
)";
  files_["/own.json"] = R"({"resources": [{"@type": "x/envoy.service.discovery.v3.Resource", "resource": {
    "@type": "x/envoy.extensions.transport_sockets.tls.v3.Secret", "name": "own",
    "tls_certificate": {"certificate_chain": {"inline_string": "cert"}, "private_key": {"inline_string": "key"}}}}]})";
  files_["/ca.pem"] = "ca";
  const ServerConfig server = WithCommon(
      "tls_certificate_sds_secret_configs: [{name: own, sds_config: {path_config_source: {path: /own.json}}}], "
      "validation_context_sds_secret_config: {name: xds_trusted_ca, sds_config: {path: /ca.yaml}}");
  const Tls tls = Good(server);
  EXPECT_EQ(tls.ca_pem, "ca");
  EXPECT_EQ(tls.cert_pem, "cert");
  EXPECT_EQ(tls.key_pem, "key");
  EXPECT_THAT(tls.names, SizeIs(1));
  EXPECT_THAT(server.notes, IsEmpty());
}

TEST_F(Verification, ASecretIsMergedOverTheDefault) {
  files_["/ca.yaml"] =
      "resources: [{'@type': x/a.Secret, name: s, validation_context: {trusted_ca: {inline_string: new}, "
      "match_typed_subject_alt_names: [{san_type: URI, matcher: {exact: b}}]}}]";
  const Tls tls =
      Good(WithCommon("combined_validation_context: {default_validation_context: "
                      "{trusted_ca: {inline_string: old}, match_typed_subject_alt_names: "
                      "[{san_type: DNS, matcher: {exact: a}}]}, validation_context_sds_secret_config: "
                      "{name: s, sds_config: {path_config_source: {path: /ca.yaml}}}}"));
  EXPECT_EQ(tls.ca_pem, "new");
  EXPECT_THAT(tls.names, SizeIs(2));
}

TEST_F(Verification, StaticSecretsAreFoundByName) {
  EXPECT_EQ(Good(WithCommon("validation_context_sds_secret_config: {name: s}",
                            "  secrets: [{name: s, validation_context: {trusted_ca: {inline_string: ca}}}]"))
                .ca_pem,
            "ca");
}

TEST_F(Verification, ASecretThatIsNotThereIsAnError) {
  files_["/two.yaml"] = "resources: [{name: a}, {name: b}]";
  files_["/other.yaml"] = "resources:\n- {'@type': x/a.Secret, name: other}";
  files_["/kind.yaml"] = "resources: [{'@type': x/a.Secret, name: s, generic_secret: {}}]";
  files_["/cluster.yaml"] = "resources: [{'@type': x/a.Cluster, name: s}]";
  files_["/broken.yaml"] = "resources: [\n";
  const auto from = [this](const std::string& source) {
    return ErrorOf(WithCommon("validation_context_sds_secret_config: {name: s, sds_config: " + source + "}"));
  };
  const auto from_file = [&](const std::string& path) { return from("{path_config_source: {path: " + path + "}}"); };
  EXPECT_THAT(from("{ads: {}}"), HasSubstr("b.yaml:11"));
  EXPECT_THAT(from("{ads: {}}"), HasSubstr("secrets that come by SDS over gRPC are not fetched"));
  EXPECT_THAT(from("{api_config_source: {api_type: GRPC}}"), HasSubstr("over gRPC are not fetched"));
  EXPECT_THAT(from_file("/nowhere.yaml"), HasSubstr("path: No such file"));
  EXPECT_THAT(from_file("/x.pb"), HasSubstr("only YAML and JSON are read"));
  EXPECT_THAT(from_file("/two.yaml"), HasSubstr("/two.yaml:1: resources: expected one secret, not 2"));
  EXPECT_THAT(from_file("/other.yaml"),
              HasSubstr("/other.yaml:2: resources[0]: is the secret \"other\"; expected \"s\""));
  EXPECT_THAT(from_file("/kind.yaml"), HasSubstr("validation_context: is missing in this secret"));
  EXPECT_THAT(from_file("/cluster.yaml"), HasSubstr("is no Secret"));
  EXPECT_THAT(from_file("/broken.yaml"), HasSubstr("/broken.yaml:"));
  EXPECT_THAT(ErrorOf(WithCommon("validation_context_sds_secret_config: {name: s}")),
              HasSubstr("static_resources has no secret \"s\""));
}

TEST_F(Verification, OurOwnCertificateBySdsOverGrpcIsANote) {
  const ServerConfig server = WithCommon(
      "validation_context: {trusted_ca: {inline_string: ca}}, "
      "tls_certificate_sds_secret_configs: [{name: s, sds_config: {ads: {}}}]");
  EXPECT_TRUE(server.verification.ok()) << server.verification;
  EXPECT_THAT(server.notes, ElementsAre(HasSubstr("give --cert and --key")));
}

TEST_F(Verification, GoogleGrpcVerifiesAuthorityAndHost) {
  const auto with = [this](const std::string& google) {
    absl::StatusOr<ServerConfig> server = Read(
        "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{google_grpc: {target_uri: 'plane:443', " +
        google + "}}]}}");
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : ServerConfig();
  };
  const Tls tls = Good(with("channel_credentials: {ssl_credentials: {}}"));
  EXPECT_TRUE(tls.check_chain && tls.check_host && !tls.insecure);
  EXPECT_THAT(ErrorOf(with("channel_credentials: {ssl_credentials: {root_certs: {inline_string: ''}}}")),
              HasSubstr("root_certs: is empty"));
  EXPECT_THAT(ErrorOf(with("channel_credentials: {tomorrow: {}}")), HasSubstr("is not understood"));
  EXPECT_THAT(ErrorOf(with("channel_credentials_plugin: [{}]")), HasSubstr("is not understood"));
}

TEST_F(Verification, AGrpcBootstrapVerifiesAuthorityAndHost) {
  const auto with = [this](const std::string& config) {
    absl::StatusOr<ServerConfig> server =
        Read(R"({"xds_servers": [{"server_uri": "plane:443", "channel_creds": [{"type": "tls", "config": )" + config +
             "}]}]}");
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : ServerConfig();
  };
  files_["/empty"] = "";
  const Tls tls = Good(with("{}"));
  EXPECT_TRUE(tls.check_chain && tls.check_host && !tls.insecure);
  EXPECT_THAT(ErrorOf(with(R"({"ca_certificate_file": "/empty"})")), HasSubstr("ca_certificate_file: is empty"));
  EXPECT_THAT(ErrorOf(with(R"({"ca_certificate_file": ""})")), HasSubstr("ca_certificate_file: No such file"));
  EXPECT_THAT(ErrorOf(with(R"({"spiffe_trust_bundle_map_file": "/x"})")), HasSubstr("is not understood"));
}

}  // namespace
}  // namespace xdscope::config
