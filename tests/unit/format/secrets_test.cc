#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

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
            R"("private_key":{"inline_string":"[redacted]"},"password":{"inline_bytes":"W3JlZGFjdGVkXQ=="}}})");
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
            R"({"session_ticket_keys":{"keys":[{"inline_bytes":"W3JlZGFjdGVkXQ=="},{"filename":"[redacted]"}]}})");
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
    EXPECT_TRUE(Has(shown, "[redacted]") || Has(shown, "W3JlZGFjdGVkXQ==")) << shown;
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
            R"({"name":"n","@unknown":[{"field":77,"type":"bytes","value":"W3JlZGFjdGVkXQ=="}]})");
  EXPECT_TRUE(Has(ShowBytes(kSecret, secret, options, Spelling::kText), "field 77, bytes: [redacted]"));
  EXPECT_FALSE(Has(Redactor(SharedApi().types).Payload(kSecretUrl, secret), "HUSH"));
  options.show_secrets = true;
  EXPECT_TRUE(Has(ShowBytes(kSecret, secret, options), "SFVTSA=="));
}

TEST(Secrets, BrokenBytesOfASecretAreNotShown) {
  for (const std::string_view url : {kSecretUrl, std::string_view("x/envoy.api.v2.auth.Secret"),
                                     std::string_view("x/envoy.extensions.transport_sockets.tls.v3.TlsCertificate"),
                                     std::string_view("x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"),
                                     std::string_view("x/envoy.config.listener.v3.Listener"),
                                     std::string_view("x/envoy.config.cluster.v3.Cluster")}) {
    const std::string shown = ShowAny(url, "\x0a\x7fHUSH");
    EXPECT_TRUE(Has(shown, R"("@error")")) << shown;
    EXPECT_TRUE(Has(shown, R"("@value":"W3JlZGFjdGVkXQ==")")) << shown;
    EXPECT_EQ(Redactor(SharedApi().types).Payload(url, "\x0a\x7fHUSH"), "");
  }
}

TEST(Secrets, HeadersThatCarrySecretsAreHidden) {
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", R"(key: "Authorization" value: "Bearer HUSH")"),
            R"({"key":"Authorization","value":"[redacted]"})");
  EXPECT_EQ(Show("envoy.config.core.v3.HeaderValue", R"(key: "x-api-key" raw_value: "HUSH")"),
            R"({"key":"x-api-key","raw_value":"W3JlZGFjdGVkXQ=="})");
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

// Shows a text message in all ways and tells whether any of them shows HUSH.
bool AnyShowsHush(std::string_view full_name, std::string_view text) {
  bool shows = Has(Redacted(full_name, text), "HUSH");
  for (const Spelling spelling : {Spelling::kCompact, Spelling::kYaml, Spelling::kText}) {
    const std::string shown = Show(full_name, text, {}, spelling);
    shows = shows || Has(shown, "HUSH") || Has(shown, "SFVTSA");
  }
  return shows;
}

TEST(Secrets, ValuesInMatchersOfSecretHeadersAreHidden) {
  for (const char* text : {R"(name: "Authorization" exact_match: "HUSH")", R"(name: "x-api-key" prefix_match: "HUSH")",
                           R"(name: "x-key" suffix_match: "HUSH")", R"(name: "cookie" contains_match: "HUSH")",
                           R"(name: "jwt" safe_regex_match { regex: "HUSH" })",
                           R"(name: "x-vault-token" string_match { safe_regex { regex: "HUSH" } })"}) {
    EXPECT_FALSE(AnyShowsHush("envoy.config.route.v3.HeaderMatcher", text)) << text;
  }
  EXPECT_FALSE(
      AnyShowsHush("envoy.config.route.v3.QueryParameterMatcher", R"(name: "key" string_match { exact: "HUSH" })"));
  EXPECT_FALSE(AnyShowsHush("envoy.config.route.v3.CookieMatcher", R"(name: "a" string_match { exact: "HUSH" })"));
  EXPECT_FALSE(AnyShowsHush("envoy.api.v2.route.HeaderMatcher", R"(name: "token" regex_match: "HUSH")"));
  EXPECT_EQ(Show("envoy.config.route.v3.HeaderMatcher", R"(name: ":path" exact_match: "/a")"),
            R"({"name":":path","exact_match":"/a"})");
}

TEST(Secrets, ValuesThatTheMatchersOfXdsCompareWithAreHiddenByTheirInput) {
  constexpr std::string_view kInput = R"(input { name: "i" typed_config {
      [type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput] { header_name: "%s" } } })";
  const auto with = [&](std::string_view header, std::string_view rest) {
    std::string text(kInput);
    text.replace(text.find("%s"), 2, header);
    return text + std::string(rest);
  };
  constexpr std::string_view kPredicate = "xds.type.matcher.v3.Matcher.MatcherList.Predicate.SinglePredicate";
  constexpr std::string_view kTree = "xds.type.matcher.v3.Matcher.MatcherTree";
  constexpr std::string_view kValue = R"( value_match { exact: "HUSH" })";
  constexpr std::string_view kMap = R"( exact_match_map { map { key: "HUSH" value { } } })";
  EXPECT_FALSE(AnyShowsHush(kPredicate, with("authorization", kValue)));
  EXPECT_FALSE(AnyShowsHush(kTree, with("authorization", kMap)));
  EXPECT_TRUE(AnyShowsHush(kPredicate, with("x-team", kValue)));
  EXPECT_TRUE(AnyShowsHush(kTree, with("x-team", kMap)));
}

TEST(Secrets, ValuesOfMapsAreHiddenByTheirKeys) {
  EXPECT_EQ(Show("envoy.service.auth.v3.AttributeContext.HttpRequest",
                 R"(headers { key: "authorization" value: "HUSH" } headers { key: "host" value: "a" })"),
            R"({"headers":{"authorization":"[redacted]","host":"a"}})");
  EXPECT_FALSE(AnyShowsHush("envoy.service.auth.v3.AttributeContext.HttpRequest",
                            R"(headers { key: "authorization" value: "HUSH" })"));
  // The names of filters are no keys of that kind.
  EXPECT_EQ(Show("envoy.config.core.v3.Metadata",
                 R"(filter_metadata { key: "envoy.filters.http.credential_injector" value { fields { key: "a" value {
                      string_value: "b" } } } })"),
            R"({"filter_metadata":{"envoy.filters.http.credential_injector":{"a":"b"}}})");
}

TEST(Secrets, WhatComesAsASecretCountsAsOneWhateverItsOwnType) {
  constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
  const std::string cluster = SharedApi().Bytes(kCluster, R"(name: "HUSH" connect_timeout { seconds: 77 })");
  const std::string duration = SharedApi().Bytes("google.protobuf.Duration", "seconds: 77");
  const std::string text = SharedApi().Bytes("google.protobuf.StringValue", R"(value: "HUSH")");
  const std::pair<std::string, std::string> foreign[] = {{std::string(kCluster), cluster},
                                                         {"google.protobuf.Duration", duration},
                                                         {"google.protobuf.StringValue", text},
                                                         {"no.such.Type", "HUSH"},
                                                         {std::string(kCluster), "\x0a\x7fHUSH"}};
  for (const auto& [name, bytes] : foreign) {
    const std::string url = "type.googleapis.com/" + name;
    for (const Spelling spelling : {Spelling::kCompact, Spelling::kYaml, Spelling::kText}) {
      const std::string shown = ShowAny(url, bytes, {}, spelling, kSecretUrl);
      EXPECT_FALSE(Has(shown, "HUSH") || Has(shown, "SFVTSA") || Has(shown, "77")) << shown;
      EXPECT_TRUE(Has(shown, name)) << shown;
    }
    EXPECT_FALSE(Has(Redactor(SharedApi().types).Payload(url, bytes, kSecretUrl), "HUSH"));
  }
  EXPECT_TRUE(Has(ShowAny("x/no.such.Type", "HUSH", {}, Spelling::kCompact, "x/a.B"), "SFVTSA"));
}

TEST(Secrets, AResponseOfSecretsIsReadAsOne) {
  std::string any, response;
  base::AppendBytes(&any, 1, "type.googleapis.com/google.protobuf.StringValue");
  base::AppendBytes(&any, 2, SharedApi().Bytes("google.protobuf.StringValue", R"(value: "HUSH")"));
  base::AppendBytes(&response, 1, "7");
  base::AppendBytes(&response, 2, any);
  base::AppendBytes(&response, 77, "HUSH");
  base::AppendBytes(&response, 4, kSecretUrl);
  WalkOptions options;
  options.unknown_fields = true;
  for (const std::string_view name :
       {"envoy.service.discovery.v3.DiscoveryResponse", "envoy.api.v2.DiscoveryResponse"}) {
    EXPECT_EQ(ShowBytes(name, response, options),
              R"({"version_info":"7","resources":[{"@type":"type.googleapis.com/google.protobuf.StringValue",)"
              R"("value":"[redacted]"}],)"
              R"("type_url":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",)"
              R"("@unknown":[{"field":77,"type":"bytes","value":"W3JlZGFjdGVkXQ=="}]})");
    const auto message = wire::Decode(response, *SharedApi().types.Find(name));
    ASSERT_TRUE(message.ok());
    EXPECT_FALSE(Has(Redactor(SharedApi().types).Message(message->view()), "HUSH"));
  }
}

TEST(Secrets, UnknownFieldsBesideASensitiveOneAreHidden) {
  std::string header;
  base::AppendBytes(&header, 1, "x-team");
  base::AppendBytes(&header, 77, "HUSH");
  WalkOptions options;
  options.unknown_fields = true;
  EXPECT_FALSE(Has(ShowBytes("envoy.config.core.v3.HeaderValue", header, options), "SFVTSA"));
  EXPECT_FALSE(Has(Redactor(SharedApi().types).Payload("x/envoy.config.core.v3.HeaderValue", header), "HUSH"));
  EXPECT_TRUE(Has(Redactor(SharedApi().types).Payload("x/envoy.config.core.v3.Locality", header), "HUSH"));
}

TEST(Secrets, CodeAndConfigurationOfExtensionsAreHidden) {
  EXPECT_FALSE(AnyShowsHush("envoy.extensions.filters.http.lua.v3.Lua", R"(inline_code: "HUSH")"));
  EXPECT_FALSE(AnyShowsHush("envoy.extensions.wasm.v3.PluginConfig", R"(configuration {
      [type.googleapis.com/google.protobuf.StringValue] { value: "HUSH" } })"));
  EXPECT_FALSE(
      AnyShowsHush("envoy.extensions.wasm.v3.EnvironmentVariables", R"(key_values { key: "A" value: "HUSH" })"));
}

TEST(Secrets, ATypedStructHidesInAllThatItSpells) {
  const auto spelled = [](std::string_view type, std::string_view fields) {
    return fmt::format(R"(type_url: "x/{}" value {{ {} }})", type, fields);
  };
  const auto text = [](std::string_view key, std::string_view value) {
    return fmt::format(R"(fields {{ key: "{}" value {{ string_value: "{}" }} }} )", key, value);
  };
  const std::string matcher = text("name", "authorization") + text("exact_match", "HUSH");
  EXPECT_FALSE(AnyShowsHush("xds.type.v3.TypedStruct", spelled("envoy.config.route.v3.HeaderMatcher", matcher)));
  EXPECT_FALSE(AnyShowsHush("xds.type.v3.TypedStruct", spelled(kSecret, text("name", "a") + text("color", "HUSH"))));
  EXPECT_FALSE(AnyShowsHush(
      "xds.type.v3.TypedStruct",
      spelled("envoy.config.core.v3.TypedExtensionConfig",
              R"(fields { key: "typedConfig" value { struct_value { )" +
                  text("@type", "x/envoy.extensions.filters.http.lua.v3.Lua") + text("inlineCode", "HUSH") + "} } }")));
  // A field that the message knows is as secret as it says, whatever its name in the Struct looks like.
  EXPECT_TRUE(AnyShowsHush("xds.type.v3.TypedStruct",
                           spelled("envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig", text("name", "HUSH"))));
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
