#include <gtest/gtest.h>

#include <string>

#include "lib/base/fields.h"
#include "lib/format/redact.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

constexpr std::string_view kSecret = "envoy.extensions.transport_sockets.tls.v3.Secret";
constexpr std::string_view kSecretUrl = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The bytes of a message after redaction, as JSON that hides nothing.
std::string Redacted(std::string_view full_name, std::string_view text) {
  Api& api = SharedApi();
  WalkOptions all;
  all.show_secrets = true;
  const std::string url = "type.googleapis.com/" + std::string(full_name);
  return ShowBytes(full_name, Redactor(api.types).Payload(url, api.Bytes(full_name, text)), all);
}

TEST(Secrets, APrivateKeyIsRedactedInEveryFormat) {
  constexpr std::string_view kText = R"(name: "server" tls_certificate {
      certificate_chain { inline_string: "PUBLIC" } private_key { inline_string: "HUSH" } password { inline_bytes: "HUSH" } })";
  EXPECT_EQ(Show(kSecret, kText),
            R"({"name":"server","tls_certificate":{"certificate_chain":{"inline_string":"PUBLIC"},)"
            R"("private_key":{"inline_string":"[redacted]"},"password":{"inline_bytes":"[redacted]"}}})");
  for (const Spelling spelling : {Spelling::kJson, Spelling::kYaml, Spelling::kText}) {
    const std::string shown = Show(kSecret, kText, {}, spelling);
    EXPECT_FALSE(Has(shown, "HUSH")) << shown;
    EXPECT_TRUE(Has(shown, "[redacted]")) << shown;
    EXPECT_TRUE(Has(shown, "PUBLIC")) << shown;
  }
  EXPECT_EQ(Redacted(kSecret, kText),
            R"({"name":"server","tls_certificate":{"certificate_chain":{"inline_string":"PUBLIC"},)"
            R"("private_key":{"inline_string":"[redacted]"},"password":{"inline_bytes":"W3JlZGFjdGVkXQ=="}}})");
}

TEST(Secrets, AreShownOnRequest) {
  WalkOptions options;
  options.show_secrets = true;
  EXPECT_EQ(Show(kSecret, R"(tls_certificate { private_key { inline_string: "HUSH" } })", options),
            R"({"tls_certificate":{"private_key":{"inline_string":"HUSH"}}})");
}

TEST(Secrets, TheSecretOfV2IsHiddenToo) {
  const std::string shown =
      Show("envoy.api.v2.auth.Secret", R"(tls_certificate { private_key { inline_string: "HUSH" } })");
  EXPECT_FALSE(Has(shown, "HUSH")) << shown;
}

TEST(Secrets, RepeatedAndMappedSecretsKeepTheirShape) {
  EXPECT_EQ(Show(kSecret, R"(session_ticket_keys { keys { inline_bytes: "a" } keys { filename: "b" } })"),
            R"({"session_ticket_keys":{"keys":[{"inline_bytes":"[redacted]"},{"filename":"[redacted]"}]}})");
  EXPECT_EQ(Show(kSecret, R"(generic_secret { secrets { key: "k" value { inline_string: "HUSH" } } })"),
            R"({"generic_secret":{"secrets":{"k":{"inline_string":"[redacted]"}}}})");
}

TEST(Secrets, HiddenNumbersAreLeftOut) {
  // Everything below typed_config of a private key provider is hidden, through the Any.
  constexpr std::string_view kText = R"(tls_certificate { private_key_provider { provider_name: "p" typed_config {
      [type.googleapis.com/google.protobuf.Struct] {
        fields { key: "n" value { number_value: 7 } } fields { key: "b" value { bool_value: true } }
        fields { key: "s" value { string_value: "HUSH" } }
        fields { key: "l" value { list_value { values { number_value: 1 } values { string_value: "HUSH" } } } } } } } })";
  EXPECT_EQ(
      Show(kSecret, kText),
      R"({"tls_certificate":{"private_key_provider":{"provider_name":"p","typed_config":)"
      R"({"@type":"type.googleapis.com/google.protobuf.Struct","value":{"l":["[redacted]"],"s":"[redacted]"}}}}})");
  EXPECT_EQ(Redacted(kSecret, kText), Show(kSecret, kText));
}

TEST(Secrets, HiddenWrappersTimesAndEnumsAreLeftOut) {
  EXPECT_EQ(Show(kSecret, R"(tls_certificate { private_key_provider { typed_config {
      [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "HUSH" type: EDS connect_timeout { seconds: 1 }
        per_connection_buffer_limit_bytes { value: 1 } } } } })"),
            R"({"tls_certificate":{"private_key_provider":{"typed_config":)"
            R"({"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"[redacted]"}}}})");
}

TEST(Secrets, AnAnyThatCannotBeOpenedShowsNoBytesInsideASecret) {
  std::string any;
  base::AppendBytes(&any, 1, "type.googleapis.com/no.such.Type");
  base::AppendBytes(&any, 2, "HUSH");
  std::string provider, certificate, secret;
  base::AppendBytes(&provider, 3, any);
  base::AppendBytes(&certificate, 6, provider);
  base::AppendBytes(&secret, 2, certificate);
  for (const Spelling spelling : {Spelling::kCompact, Spelling::kYaml, Spelling::kText}) {
    const std::string shown = ShowBytes(kSecret, secret, {}, spelling);
    EXPECT_TRUE(Has(shown, "no.such.Type")) << shown;
    EXPECT_TRUE(Has(shown, "[redacted]")) << shown;
    EXPECT_FALSE(Has(shown, "SFVTSA") || Has(shown, "HUSH")) << shown;
  }
  EXPECT_FALSE(Has(Redactor(SharedApi().types).Payload(kSecretUrl, secret), "HUSH"));
}

TEST(Secrets, UnknownFieldsInsideASecretShowNoBytes) {
  std::string secret;
  base::AppendBytes(&secret, 1, "n");
  base::AppendBytes(&secret, 77, "HUSH");
  WalkOptions options;
  options.unknown_fields = true;
  EXPECT_EQ(ShowBytes(kSecret, secret, options),
            R"({"name":"n","@unknown":[{"field":77,"type":"bytes","value":"[redacted]"}]})");
  EXPECT_TRUE(Has(ShowBytes(kSecret, secret, options, Spelling::kText), "field 77, bytes: [redacted]"));
  EXPECT_FALSE(Has(Redactor(SharedApi().types).Payload(kSecretUrl, secret), "HUSH"));
  options.show_secrets = true;
  EXPECT_TRUE(Has(ShowBytes(kSecret, secret, options), "SFVTSA=="));
}

TEST(Secrets, BrokenBytesOfASecretAreNotShown) {
  for (const std::string_view url :
       {kSecretUrl, std::string_view("x/envoy.api.v2.auth.Secret"),
        std::string_view("x/envoy.extensions.transport_sockets.tls.v3.TlsCertificate"),
        std::string_view("x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext")}) {
    const std::string shown = ShowAny(url, "\x0a\x7fHUSH");
    EXPECT_TRUE(Has(shown, R"("@error")")) << shown;
    EXPECT_TRUE(Has(shown, R"("@value":"[redacted]")")) << shown;
    EXPECT_EQ(Redactor(SharedApi().types).Payload(url, "\x0a\x7fHUSH"), "");
  }
}

TEST(Secrets, HeadersThatCarrySecretsAreHidden) {
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", R"(key: "Authorization" value: "Bearer HUSH")"),
            R"({"key":"Authorization","value":"[redacted]"})");
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", R"(key: "x-api-key" raw_value: "HUSH")"),
            R"({"key":"x-api-key","raw_value":"[redacted]"})");
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", R"(key: "x-team" value: "blue")"),
            R"({"key":"x-team","value":"blue"})");
  // The key may stand behind the value.
  std::string header;
  base::AppendBytes(&header, 2, "HUSH");
  base::AppendBytes(&header, 1, "cookie");
  EXPECT_EQ(ShowBytes("envoy.config.core.v3.HeaderValue", header), R"({"key":"cookie","value":"[redacted]"})");
}

TEST(Secrets, ValuesUnderSecretKeysOfAStructAreHidden) {
  constexpr std::string_view kText = R"(
      fields { key: "db_password" value { string_value: "HUSH" } } fields { key: "api-key" value { number_value: 7 } }
      fields { key: "user" value { string_value: "joe" } }
      fields { key: "client_secret" value { struct_value { fields { key: "x" value { string_value: "HUSH" } } } } })";
  EXPECT_EQ(Show("google.protobuf.Struct", kText),
            R"({"client_secret":{"x":"[redacted]"},"db_password":"[redacted]","user":"joe"})");
  EXPECT_FALSE(Has(Show("google.protobuf.Struct", kText, {}, Spelling::kText), "HUSH"));
  EXPECT_FALSE(Has(Redacted("google.protobuf.Struct", kText), "HUSH"));
}

TEST(Secrets, ATypedStructIsReadAsTheTypeItNames) {
  constexpr std::string_view kText = R"(
      type_url: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
      value { fields { key: "common_tls_context" value { struct_value { fields { key: "tls_certificates" value {
        list_value { values { struct_value {
          fields { key: "certificate_chain" value { struct_value { fields { key: "filename" value { string_value: "/c" } } } } }
          fields { key: "privateKey" value { struct_value { fields { key: "filename" value { string_value: "HUSH" } } } } }
        } } } } } } } } })";
  EXPECT_EQ(
      Show("xds.type.v3.TypedStruct", kText),
      R"({"type_url":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext","value":)"
      R"({"common_tls_context":{"tls_certificates":[{"certificate_chain":{"filename":"/c"},)"
      R"("privateKey":{"filename":"[redacted]"}}]}}})");
  EXPECT_FALSE(Has(Show("udpa.type.v1.TypedStruct", kText, {}, Spelling::kText), "HUSH"));
  EXPECT_TRUE(Has(Show("udpa.type.v1.TypedStruct", kText, {}, Spelling::kText), "/c"));
  EXPECT_FALSE(Has(Redacted("xds.type.v3.TypedStruct", kText), "HUSH"));
}

TEST(Secrets, ATypedStructFindsSecretsBehindAnAnyAMapAndAHeader) {
  EXPECT_EQ(
      Show("xds.type.v3.TypedStruct", R"(
      type_url: "x/envoy.config.core.v3.TransportSocket" value { fields { key: "typed_config" value { struct_value {
        fields { key: "@type" value { string_value: "x/envoy.extensions.transport_sockets.tls.v3.GenericSecret" } }
        fields { key: "secret" value { struct_value { fields { key: "filename" value { string_value: "HUSH" } } } } }
      } } } })"),
      R"({"type_url":"x/envoy.config.core.v3.TransportSocket","value":{"typed_config":)"
      R"({"@type":"x/envoy.extensions.transport_sockets.tls.v3.GenericSecret","secret":{"filename":"[redacted]"}}}})");
  EXPECT_EQ(Show("xds.type.v3.TypedStruct", R"(
      type_url: "x/envoy.config.core.v3.HeaderValue" value {
        fields { key: "key" value { string_value: "cookie" } } fields { key: "value" value { string_value: "HUSH" } } })"),
            R"({"type_url":"x/envoy.config.core.v3.HeaderValue","value":{"key":"cookie","value":"[redacted]"}})");
}

TEST(Secrets, AHiddenTypedStructStillSaysItsType) {
  EXPECT_EQ(
      Show(kSecret, R"(tls_certificate { private_key_provider { typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] { type_url: "x/y.Z" value { fields { key: "a" value { string_value: "HUSH" } } } } } } })"),
      R"({"tls_certificate":{"private_key_provider":{"typed_config":{"@type":"type.googleapis.com/xds.type.v3.TypedStruct",)"
      R"("type_url":"x/y.Z","value":{"a":"[redacted]"}}}}})");
}

TEST(Secrets, DefaultsOfHiddenFieldsAreNotShown) {
  WalkOptions options;
  options.emit_defaults = true;
  const std::string shown = Show(kSecret, R"(generic_secret { secret { inline_string: "HUSH" } })", options);
  EXPECT_TRUE(Has(shown, R"("secret":{"inline_string":"[redacted]"})")) << shown;
}

TEST(Secrets, WhatHoldsNoneKeepsItsBytes) {
  Api& api = SharedApi();
  const std::string bytes = api.Bytes("envoy.config.cluster.v3.Cluster", R"(name: "a" connect_timeout { seconds: 1 }
      transport_socket { name: "t" typed_config { [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] {
        sni: "x" } } } metadata { filter_metadata { key: "a" value { fields { key: "b" value { number_value: 1 } } } } })");
  EXPECT_EQ(Redactor(api.types).Payload("x/envoy.config.cluster.v3.Cluster", bytes), bytes);
  EXPECT_EQ(Redactor(api.types).Payload("x/no.such.Type", "abc"), "abc");
}

}  // namespace
}  // namespace xdscope::format
