// What differs between two messages: one line for each change, "PATH: OLD -> NEW", "-" for a value that is not there.
#include "lib/format/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/fields.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::string_view kVirtualHost = "envoy.config.route.v3.VirtualHost";
constexpr std::string_view kMetadata = "envoy.config.core.v3.Metadata";
constexpr std::string_view kSecret = "envoy.extensions.transport_sockets.tls.v3.Secret";
constexpr std::string_view kSecretUrl = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string field;
  base::AppendBytes(&field, number, bytes);
  return field;
}

std::string Line(const Change& change) {
  return finding::ToText(change.path) + (change.order ? " (order)" : "") + ": " + change.before.value_or("-") + " -> " +
         change.after.value_or("-");
}

using Lines = std::vector<std::string>;

Lines BytesDiffer(std::string_view type_name, const std::string& before, const std::string& after,
                  const WalkOptions& options = {}) {
  const wire::Type* type = SharedApi().types.Find(type_name);
  const absl::StatusOr<wire::Message> left = wire::Decode(before, *type);
  const absl::StatusOr<wire::Message> right = wire::Decode(after, *type);
  EXPECT_TRUE(left.ok() && right.ok());
  Lines lines;
  Differ differ(SharedApi().types, options, [&](const Change& change) { lines.push_back(Line(change)); });
  differ.Messages(left->view(), right->view());
  return lines;
}

// The same of messages in text format.
Lines TextsDiffer(std::string_view type, std::string_view before, std::string_view after,
                  const WalkOptions& options = {}) {
  return BytesDiffer(type, SharedApi().Bytes(type, before), SharedApi().Bytes(type, after), options);
}

Lines AnysDiffer(const base::AnyView& before, const base::AnyView& after, std::string_view response_type = {}) {
  Lines lines;
  Differ differ(SharedApi().types, {}, [&](const Change& change) { lines.push_back(Line(change)); });
  differ.Anys(before, after, response_type);
  return lines;
}

TEST(Difference, AFieldThatChangedIsSaidWithItsPath) {
  EXPECT_THAT(TextsDiffer(kCluster, R"(name: "a" circuit_breakers { thresholds { max_connections { value: 100 } } })",
                          R"(name: "a" circuit_breakers { thresholds { max_connections { value: 200 } } })"),
              ElementsAre("circuit_breakers.thresholds[0].max_connections: 100 -> 200"));
}

TEST(Difference, FieldsComeAndGoInTheOrderOfTheirNumbers) {
  EXPECT_THAT(TextsDiffer(kCluster, R"(name: "a" connect_timeout { seconds: 1 } lb_policy: RANDOM)",
                          R"(name: "b" connect_timeout { seconds: 2 nanos: 500000000 } alt_stat_name: "x")"),
              ElementsAre(R"(name: "a" -> "b")", R"(connect_timeout: "1s" -> "2.500s")", R"(lb_policy: "RANDOM" -> -)",
                          R"(alt_stat_name: - -> "x")"));
}

TEST(Difference, AMessageThatCameOrWentIsOneChange) {
  EXPECT_THAT(TextsDiffer(kCluster, "", R"(eds_cluster_config { service_name: "a" eds_config { ads {} } })"),
              ElementsAre(R"(eds_cluster_config: - -> {"eds_config":{"ads":{}},"service_name":"a"})"));
  EXPECT_THAT(TextsDiffer(kCluster, "eds_cluster_config {}", ""), ElementsAre("eds_cluster_config: {} -> -"));
}

TEST(Difference, ADefaultIsAChangeOnlyWhereItsAbsenceCanBeTold) {
  std::string round_robin;
  base::AppendTag(&round_robin, 6, base::WireType::kVarint);
  base::AppendVarint(&round_robin, 0);
  EXPECT_THAT(BytesDiffer(kCluster, round_robin, ""), IsEmpty());
  EXPECT_THAT(TextsDiffer(kCluster, "", "type: STATIC"), ElementsAre(R"(type: - -> "STATIC")"));
  EXPECT_THAT(TextsDiffer(kCluster, "", "connect_timeout {}"), ElementsAre(R"(connect_timeout: - -> "0s")"));
}

TEST(Difference, OnlyTheElementsThatCameAndWentAreSaidOfAListWithoutNames) {
  constexpr std::string_view kList = "google.protobuf.ListValue";
  constexpr std::string_view kThree =
      "values { number_value: 1 } values { number_value: 2 } values { number_value: 3 }";
  EXPECT_THAT(TextsDiffer(kList, kThree, "values { number_value: 1 } values { number_value: 3 }"),
              ElementsAre("[1]: 2 -> -"));
  EXPECT_THAT(TextsDiffer(kList, "values { number_value: 3 }", kThree), ElementsAre("[0]: - -> 1", "[1]: - -> 2"));
  EXPECT_THAT(TextsDiffer(kList, kThree,
                          "values { number_value: 1 } values { number_value: 7 } values { string_value: '8' } "
                          "values { number_value: 3 }"),
              ElementsAre("[1]: 2 -> 7", R"([2]: - -> "8")"));
}

TEST(Difference, ElementsThatSayTheSameInOtherBytesAreTheSame) {
  const auto route = [](std::string_view prefix, bool turned) {
    const std::string match = Field(1, Field(1, prefix));
    const std::string redirect = Field(3, Field(1, "h"));
    return Field(3, turned ? redirect + match : match + redirect);
  };
  EXPECT_THAT(BytesDiffer(kVirtualHost, route("/a", false) + route("/b", false),
                          route("/x", false) + route("/a", true) + route("/b", true)),
              ElementsAre(R"(routes[0]: - -> {"match":{"prefix":"/x"},"redirect":{"host_redirect":"h"}})"));
}

TEST(Difference, ElementsWithNamesAreFoundByThem) {
  constexpr std::string_view kListener = "envoy.config.listener.v3.Listener";
  EXPECT_THAT(TextsDiffer(kListener, R"(filter_chains { name: "a" filter_chain_match { transport_protocol: "tls" } }
                                    filter_chains { name: "b" } filter_chains { name: "c" })",
                          R"(filter_chains { name: "d" }
                         filter_chains { name: "a" filter_chain_match { transport_protocol: "raw_buffer" } }
                         filter_chains { name: "b" transport_socket_connect_timeout { seconds: 1 } })"),
              ElementsAre(R"(filter_chains[2]: {"name":"c"} -> -)", R"(filter_chains[0]: - -> {"name":"d"})",
                          R"(filter_chains[1].filter_chain_match.transport_protocol: "tls" -> "raw_buffer")",
                          R"(filter_chains[2].transport_socket_connect_timeout: - -> "1s")"));
}

TEST(Difference, NamesInAnotherOrderAreOneChange) {
  EXPECT_THAT(
      TextsDiffer(
          kVirtualHost, R"(routes { name: "a" } routes { name: "b" } routes { name: "c" } routes { name: "d" })",
          R"(routes { name: "c" } routes { name: "x" } routes { name: "b" } routes { name: "a" } routes { name: "d" })"),
      ElementsAre(R"(routes (order): ["a","b","c"] -> ["c","b","a"])", R"(routes[1]: - -> {"name":"x"})"));
}

TEST(Difference, WhereNamesRepeatOrAreMissingElementsGoByIndex) {
  EXPECT_THAT(TextsDiffer(kVirtualHost, R"(routes { name: "a" } routes { name: "a" match { prefix: "/" } })",
                          R"(routes { name: "b" } routes { name: "a" })"),
              ElementsAre(R"(routes[0].name: "a" -> "b")", R"(routes[1].match: {"prefix":"/"} -> -)"));
  EXPECT_THAT(TextsDiffer(kVirtualHost, R"(routes { name: "a" } routes { match { prefix: "/" } })",
                          R"(routes { match { prefix: "/x" } } routes { name: "b" })"),
              ElementsAre(R"(routes[0].match: - -> {"prefix":"/x"})", R"(routes[0].name: "a" -> -)",
                          R"(routes[1].match: {"prefix":"/"} -> -)", R"(routes[1].name: - -> "b")"));
}

TEST(Difference, AListThatIsASetHasNoOrder) {
  EXPECT_THAT(TextsDiffer(kVirtualHost, R"(domains: "a" domains: "b" domains: "c")",
                          R"(domains: "c" domains: "d" domains: "a")"),
              ElementsAre(R"(domains[1]: "b" -> -)", R"(domains[1]: - -> "d")"));
  EXPECT_THAT(TextsDiffer("envoy.config.listener.v3.FilterChainMatch", "source_ports: 1 source_ports: 2",
                          "source_ports: 2 source_ports: 1"),
              IsEmpty());
}

TEST(Difference, EndpointsGoByTheirAddressesAndLocalitiesByTheirNameAndPriority) {
  const auto endpoint = [](int port, std::string_view more) {
    return "lb_endpoints { endpoint { address { socket_address { address: '10.0.0.1' port_value: " +
           std::to_string(port) + " } } } " + std::string(more) + "} ";
  };
  const std::string one = "endpoints { locality { zone: 'a' } " + endpoint(1, "") + endpoint(2, "") + "} ";
  const std::string other =
      "endpoints { locality { zone: 'a' } " + endpoint(2, "health_status: DRAINING") + endpoint(1, "") + "} ";
  const std::string second = "endpoints { locality { zone: 'a' } priority: 1 } ";
  EXPECT_THAT(TextsDiffer("envoy.config.endpoint.v3.ClusterLoadAssignment", one + second, second + other),
              ElementsAre(R"(endpoints[1].lb_endpoints[0].health_status: - -> "DRAINING")"));
}

TEST(Difference, EachSetIsAFieldOfTheApi) {
  for (const UnorderedList& list : UnorderedLists()) {
    const wire::Type* type = SharedApi().types.Find(list.message);
    ASSERT_NE(type, nullptr) << list.message;
    const wire::Field* field = type->Find(list.field);
    ASSERT_NE(field, nullptr) << list.message << "." << list.field;
    EXPECT_TRUE(field->repeated && !field->map);
    ElementRules rules;
    EXPECT_FALSE(rules.Of(*type, *field).ordered) << list.way << " " << list.second;
  }
}

TEST(Difference, MapsGoByKeyAndStructsAreReadAsJson) {
  EXPECT_THAT(TextsDiffer(kMetadata, R"(
          filter_metadata { key: "gone" }
          filter_metadata { key: "x.y" value {
            fields { key: "a" value { number_value: 1 } } fields { key: "b c" value { string_value: "x" } }
            fields { key: "l" value { list_value { values { bool_value: true } } } } } })",
                          R"(
          filter_metadata { key: "new" value { fields { key: "a" value { null_value: NULL_VALUE } } } }
          filter_metadata { key: "x.y" value {
            fields { key: "a" value { number_value: 2.5 } } fields { key: "b c" value { struct_value {} } }
            fields { key: "l" value { list_value { values { bool_value: false } } } } } })"),
              ElementsAre(R"(filter_metadata["gone"]: {} -> -)", R"(filter_metadata["new"]: - -> {"a":null})",
                          R"(filter_metadata["x.y"]["a"]: 1 -> 2.5)", R"(filter_metadata["x.y"]["b c"]: "x" -> {})",
                          R"(filter_metadata["x.y"]["l"][0]: true -> false)"));
}

TEST(Difference, AMapInAnotherOrderIsTheSame) {
  const std::string a = SharedApi().Bytes(kMetadata, R"(filter_metadata { key: "a" })");
  const std::string b = SharedApi().Bytes(kMetadata, R"(filter_metadata { key: "b" })");
  EXPECT_THAT(BytesDiffer(kMetadata, a + b, b + a), IsEmpty());
}

TEST(Difference, AnyOfOneTypeAreComparedInside) {
  EXPECT_THAT(TextsDiffer("envoy.config.core.v3.TypedExtensionConfig",
                          R"(typed_config { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "a" } })",
                          R"(typed_config { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "b" } })"),
              ElementsAre(R"(typed_config.name: "a" -> "b")"));
  EXPECT_THAT(TextsDiffer("envoy.config.core.v3.TypedExtensionConfig",
                          R"(typed_config { [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "a" } })",
                          R"(typed_config { [type.googleapis.com/google.protobuf.StringValue] { value: "a" } })"),
              ElementsAre(R"(typed_config: {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a"})"
                          R"( -> {"@type":"type.googleapis.com/google.protobuf.StringValue","value":"a"})"));
}

TEST(Difference, TheUrlOfAnAnyIsAChangeOfItsOwn) {
  const std::string a = SharedApi().Bytes(kCluster, R"(name: "a")");
  const std::string b = SharedApi().Bytes(kCluster, R"(name: "b")");
  EXPECT_THAT(AnysDiffer({"x/envoy.config.cluster.v3.Cluster", a}, {"y/envoy.config.cluster.v3.Cluster", b}),
              ElementsAre(R"(@type: "x/envoy.config.cluster.v3.Cluster" -> "y/envoy.config.cluster.v3.Cluster")",
                          R"(name: "a" -> "b")"));
}

TEST(Difference, WhatCannotBeReadIsComparedAsBytes) {
  EXPECT_THAT(AnysDiffer({"x/no.such.Type", "a"}, {"x/no.such.Type", "a"}), IsEmpty());
  const Lines lines = AnysDiffer({"x/no.such.Type", "a"}, {"x/no.such.Type", "b"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], testing::AllOf(testing::HasSubstr(R"("@value":"YQ==")"), testing::HasSubstr(R"("Yg==")")));
}

TEST(Difference, UnknownFieldsAreComparedByNumber) {
  EXPECT_THAT(BytesDiffer(kCluster, Field(9998, "a") + Field(9999, "b"), Field(9999, "c") + Field(10000, "d")),
              ElementsAre(R"(@unknown.9998: "YQ==" -> -)", R"(@unknown.9999: "Yg==" -> "Yw==")",
                          R"(@unknown.10000: - -> "ZA==")"));
  EXPECT_THAT(BytesDiffer(kCluster, Field(9998, "a") + Field(9999, "b"), Field(9999, "b") + Field(9998, "a")),
              ElementsAre("@unknown (order): [9998,9999] -> [9999,9998]"));
  EXPECT_THAT(BytesDiffer(kCluster, Field(9999, "a") + Field(9999, "b"), Field(9999, "x") + Field(9998, "b")),
              ElementsAre(R"(@unknown.9999: "YQ==" -> "eA==")", R"(@unknown.9999: "Yg==" -> -)",
                          R"(@unknown.9998: - -> "Yg==")"));
  EXPECT_THAT(BytesDiffer("google.protobuf.Duration", "", Field(9, "a")),
              ElementsAre(R"(: "0s" -> {"@unknown":[{"field":9,"type":"bytes","value":"YQ=="}]})"));
}

TEST(Difference, WhatStandsBesideTheFieldsOfAnAnyIsNotShown) {
  EXPECT_THAT(BytesDiffer("google.protobuf.Any", "", Field(9, "HUSH")),
              ElementsAre(R"(@unknown.9: - -> "[redacted]")"));
}

TEST(Difference, TheMembersOfAOneofComeAndGo) {
  EXPECT_THAT(TextsDiffer("envoy.config.core.v3.DataSource", R"(filename: "/a")", R"(inline_string: "b")"),
              ElementsAre(R"(filename: "/a" -> -)", R"(inline_string: - -> "b")"));
}

TEST(Difference, ASecretThatChangedIsSaidAndNotShown) {
  const auto certificate = [](std::string_view chain, std::string_view key) {
    return "name: 'a' tls_certificate { certificate_chain { filename: '" + std::string(chain) +
           "' } private_key { inline_string: '" + std::string(key) + "' } }";
  };
  EXPECT_THAT(TextsDiffer(kSecret, certificate("/a", "HUSH1"), certificate("/b", "HUSH2")),
              ElementsAre(R"(tls_certificate.certificate_chain.filename: "/a" -> "/b")",
                          R"(tls_certificate.private_key.inline_string: "[redacted]" -> "[redacted]")"));
  WalkOptions show;
  show.show_secrets = true;
  EXPECT_THAT(TextsDiffer(kSecret, certificate("/a", "HUSH1"), certificate("/a", "HUSH2"), show),
              ElementsAre(R"(tls_certificate.private_key.inline_string: "HUSH1" -> "HUSH2")"));
}

TEST(Difference, HiddenNumbersBytesAndWrappersChangeToo) {
  EXPECT_THAT(TextsDiffer("google.protobuf.Struct", R"(fields { key: "password" value { number_value: 1 } })",
                          R"(fields { key: "password" value { number_value: 2 } })"),
              ElementsAre(R"(["password"]: "[redacted]" -> "[redacted]")"));
  EXPECT_THAT(TextsDiffer("envoy.config.core.v3.HeaderValue", R"(key: "cookie" raw_value: "HUSH1")",
                          R"(key: "cookie" raw_value: "HUSH2")"),
              ElementsAre(R"(raw_value: "[redacted]" -> "[redacted]")"));
  const auto typed = [](std::string_view url, std::string_view text) { return base::AnyView{url, text}; };
  const std::string one = SharedApi().Bytes("google.protobuf.BytesValue", R"(value: "HUSH1")");
  const std::string other = SharedApi().Bytes("google.protobuf.BytesValue", R"(value: "HUSH2")");
  EXPECT_THAT(
      AnysDiffer(typed("x/google.protobuf.BytesValue", one), typed("x/google.protobuf.BytesValue", other), kSecretUrl),
      ElementsAre(R"(: "[redacted]" -> "[redacted]")"));
}

TEST(Difference, NothingOfASecretShowsInAnyChange) {
  const auto check = [](const Lines& lines) {
    EXPECT_FALSE(lines.empty());
    for (const std::string& line : lines) {
      EXPECT_EQ(line.find("HUSH"), std::string::npos) << line;
      EXPECT_EQ(line.find("SFVTSA"), std::string::npos) << line;
    }
  };
  check(TextsDiffer(kSecret, "", R"(generic_secret { secret { inline_string: "HUSH" } })"));
  check(TextsDiffer(kSecret, R"(generic_secret { secret { inline_string: "HUSH" } })",
                    R"(generic_secret { secret { inline_bytes: "HUSH" } })"));
  check(BytesDiffer(kSecret, Field(77, "HUSH"), ""));
  check(AnysDiffer({kSecretUrl, "\x0a\x7fHUSH"}, {kSecretUrl, ""}));
  check(AnysDiffer({"x/no.such.Type", "HUSH"}, {"x/no.such.Type", ""}, kSecretUrl));
  // Header: the key decides on each side.
  EXPECT_THAT(TextsDiffer("envoy.config.core.v3.HeaderValue", R"(key: "x-team" value: "blue")",
                          R"(key: "authorization" value: "HUSH")"),
              ElementsAre(R"(key: "x-team" -> "authorization")", R"(value: "blue" -> "[redacted]")"));
  // A map of which not even the keys are shown.
  constexpr std::string_view kTree = "xds.type.matcher.v3.Matcher.MatcherTree";
  constexpr std::string_view kInput = R"(input { name: "i" typed_config {
      [type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput] { header_name: "cookie" } } })";
  const std::string map = std::string(kInput) + R"(exact_match_map { map { key: "HUSH" value {} } })";
  const std::string larger =
      std::string(kInput) + R"(exact_match_map { map { key: "HUSH" value {} } map { key: "HUSH2" value {} } })";
  EXPECT_THAT(TextsDiffer(kTree, map, larger), ElementsAre(R"(exact_match_map.map: "[redacted]" -> "[redacted]")"));
  check(TextsDiffer(kTree, kInput, map));
}

TEST(Difference, ATypedStructIsComparedAsJsonAndHidesWhatItSpells) {
  const auto spelled = [](std::string_view value) {
    return R"(type_url: "x/envoy.config.core.v3.HeaderValue" value {
                fields { key: "key" value { string_value: "cookie" } }
                fields { key: "value" value { string_value: ")" +
           std::string(value) + R"(" } } })";
  };
  EXPECT_THAT(TextsDiffer("xds.type.v3.TypedStruct", spelled("HUSH1"), spelled("HUSH2")),
              ElementsAre(R"(value["value"]: "[redacted]" -> "[redacted]")"));
  EXPECT_THAT(TextsDiffer(kSecret, R"(tls_certificate { private_key_provider { typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] { type_url: "x/a.B" } } } })",
                          R"(tls_certificate { private_key_provider { typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] { type_url: "x/a.C" } } } })"),
              ElementsAre(R"(tls_certificate.private_key_provider.typed_config.type_url: "x/a.B" -> "x/a.C")"));
}

// A matcher in a matcher … as deep as protobuf reads, and in the innermost an Any of the next such one.
std::string DeepMatchers(int anys, std::string innermost) {
  for (int i = 0; i < anys; ++i) {
    const std::string any = Field(1, "x/xds.type.matcher.v3.Matcher") + Field(2, innermost);
    innermost = Field(3, Field(2, Field(2, any)));  // on_no_match.action.typed_config
    for (int level = 0; level < 46; ++level) innermost = Field(3, Field(1, innermost));  // on_no_match.matcher
  }
  return innermost;
}

TEST(Difference, WhatIsNestedAtEveryLimitIsComparedWithoutEnd) {
  EXPECT_EQ(BytesDiffer("xds.type.matcher.v3.Matcher", DeepMatchers(40, ""), DeepMatchers(40, Field(9999, "x"))).size(),
            1U);
  EXPECT_EQ(BytesDiffer("xds.type.matcher.v3.Matcher", DeepMatchers(9, ""), DeepMatchers(9, Field(9999, "x"))).size(),
            1U);
}

}  // namespace
}  // namespace xdscope::format
