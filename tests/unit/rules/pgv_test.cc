// What findings of PGV say: where, what, the value, the option. On messages of the Envoy API.
#include "lib/rules/pgv.h"

#include <gmock/gmock.h>

#include "lib/encode/visit.h"
#include "lib/wire/message.h"
#include "tests/fake/messages.h"
#include "tests/fake/text_messages.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PgvTest : public testing::Test {
 protected:
  // What is wrong with a resource that is written as text.
  std::vector<finding::Finding> Inspect(std::string_view type_url, std::string_view text) {
    const std::string bytes = texts_.Bytes(type_url, text);
    const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *types_.Find(type_url));
    EXPECT_TRUE(message.ok());
    finding::Sample sample;
    Report report(types_, sample);
    report.Begin({type_url, "r", 3});
    encode::Visit(message->view(), types_, [&](const encode::Visited& at) {
      pgv_.Check(at, &report);
      return true;
    });
    return sample.Take();
  }
  // "PATH: message [RULE]" of each finding.
  std::vector<std::string> Lines(std::string_view type_url, std::string_view text) {
    std::vector<std::string> lines;
    for (const finding::Finding& finding : Inspect(type_url, text)) {
      lines.push_back(finding::ToText(finding.path) + ": " + finding::ToText(finding));
    }
    return lines;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  Pgv pgv_{types_};
  fake::TextMessages texts_{schema_};
};

TEST_F(PgvTest, AFindingNamesTheResourceThePlaceTheValueAndTheOption) {
  const auto findings = Inspect(fake::kCds, R"(name: "a" least_request_lb_config { choice_count { value: 1 } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].type_url, fake::kCds);
  EXPECT_EQ(findings[0].resource, "r");
  EXPECT_EQ(findings[0].entry, 3);
  EXPECT_EQ(finding::ToText(findings[0].path), "least_request_lb_config.choice_count");
  EXPECT_EQ(finding::ToText(findings[0]), "choice_count must be at least 2 [pgv.uint32.gte]");
  EXPECT_EQ(findings[0].value, "1");
  EXPECT_EQ(findings[0].option, "envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choice_count {gte: 2}");
  EXPECT_EQ(findings[0].severity, finding::Severity::kError);
}

TEST_F(PgvTest, AllThatIsWrongIsFound) {
  EXPECT_THAT(
      Lines(fake::kCds, R"(connect_timeout {} health_checks { http_health_check {} }
                                   load_assignment { endpoints { priority: 200 } })"),
      ElementsAre("name: name must not be empty [pgv.string.min_len]",
                  "connect_timeout: connect_timeout must be greater than 0s [pgv.duration.gt]",
                  "health_checks[0].timeout: timeout must be set [pgv.duration.required]",
                  "health_checks[0].interval: interval must be set [pgv.duration.required]",
                  "health_checks[0].unhealthy_threshold: unhealthy_threshold must be set [pgv.message.required]",
                  "health_checks[0].healthy_threshold: healthy_threshold must be set [pgv.message.required]",
                  "health_checks[0].http_health_check.path: path must not be empty [pgv.string.min_len]",
                  "load_assignment.cluster_name: cluster_name must not be empty [pgv.string.min_len]",
                  "load_assignment.endpoints[0].priority: priority must be at most 128 [pgv.uint32.lte]"));
}

TEST_F(PgvTest, ARequiredOneofIsMissedInTheMessage) {
  EXPECT_THAT(Lines(fake::kRds, R"(name: "r" virtual_hosts { name: "v" domains: "*" routes { match {} route {} } })"),
              ElementsAre("virtual_hosts[0].routes[0].match: one of the fields of path_specifier must be set "
                          "[pgv.oneof.required]",
                          "virtual_hosts[0].routes[0].route: one of the fields of cluster_specifier must be set "
                          "[pgv.oneof.required]"));
}

// Envoy runs PGV anew on what it takes out of an Any. [validation.md 1.3-1]
TEST_F(PgvTest, WhatStandsInAnAnyIsJudgedToo) {
  EXPECT_THAT(Lines(fake::kLds, R"(filter_chains { filters { name: "f" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy] { cluster: "c" } } } })"),
              ElementsAre("filter_chains[0].filters[0].typed_config.stat_prefix: stat_prefix must not be empty "
                          "[pgv.string.min_len]"));
}

TEST_F(PgvTest, WhatATypedStructSpellsIsJudgedToo) {
  EXPECT_THAT(Lines(fake::kLds, R"(filter_chains { filters { name: "f" typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] {
        type_url: "x/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy"
        value { fields { key: "cluster" value { string_value: "c" } } } } } } })"),
              ElementsAre("filter_chains[0].filters[0].typed_config.value.stat_prefix: stat_prefix must not be empty "
                          "[pgv.string.min_len]"));
}

// [validation.md 2.10-18]
TEST_F(PgvTest, WhereEnvoyDoesNotRunPgvABrokenRuleIsAWarning) {
  const auto findings = Inspect(fake::kCds, R"(name: "a" load_balancing_policy { policies { typed_extension_config {
      name: "lr" typed_config {
        [type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest] {
          choice_count { value: 1 } } } } } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule, "pgv.uint32.gte");
  EXPECT_EQ(findings[0].severity, finding::Severity::kWarning);
}

// The field has a rule for an Any although it is a ConfigSource, below which PGV then forgets to look. [1.3-14]
TEST_F(PgvTest, WherePgvForgetsToLookABrokenRuleIsAWarning) {
  const auto findings = Inspect(fake::kLds, R"(filter_chains { filters { name: "f" config_discovery {
      type_urls: "x/y" config_source { api_config_source { api_type: 77 } } } } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule, "pgv.enum.defined_only");
  EXPECT_EQ(findings[0].severity, finding::Severity::kWarning);
}

TEST_F(PgvTest, AKeyIsNamedInThePathAndAsTheCulprit) {
  const auto findings = Inspect(fake::kRds, R"(name: "r" virtual_hosts { name: "v" domains: "*"
      typed_per_filter_config { key: "f" value { [type.googleapis.com/envoy.config.route.v3.RouteAction] {} } } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(finding::ToText(findings[0].path), R"(virtual_hosts[0].typed_per_filter_config["f"])");
}

TEST_F(PgvTest, ALongValueIsCutBetweenTwoCharacters) {
  std::string name = "x";
  for (int i = 0; i < 100; ++i) name += "ä";
  const auto findings = Inspect(fake::kLds, R"(filter_chains { transport_socket_connect_timeout { seconds: -5 } }
      access_log { filter { header_filter { header { name: "a\n)" +
                                                name + R"(" present_match: true } } } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule, "pgv.string.well_known_regex");
  EXPECT_LE(findings[0].value.size(), Report::kMostShown + 3);
  EXPECT_TRUE(findings[0].value.starts_with(R"("a\nxä)")) << findings[0].value;
  EXPECT_TRUE(findings[0].value.ends_with("ä…")) << findings[0].value;
}

TEST_F(PgvTest, TheValueOfASecretIsNotShown) {
  const auto findings = Inspect(fake::kRds, R"(name: "r" request_headers_to_add {
      header { key: "authorization" value: "Bearer\nabc" } })");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(finding::ToText(findings[0].path), "request_headers_to_add[0].header.value");
  EXPECT_EQ(findings[0].value, R"("[redacted]")");
}

// What a peer is verified with is public.
TEST_F(PgvTest, AValueInASecretIsNotShown) {
  const auto findings = Inspect(fake::kSds, R"(name: "s" session_ticket_keys {})");
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].rule, "pgv.repeated.min_items");
  const auto key = Inspect(fake::kSds, R"(name: "s" tls_certificate { private_key { filename: "" } })");
  ASSERT_THAT(key, SizeIs(1));
  EXPECT_EQ(key[0].value, R"("[redacted]")");
  const auto hash = Inspect(fake::kSds, R"(name: "s" validation_context { verify_certificate_hash: "a" })");
  ASSERT_THAT(hash, SizeIs(1));
  EXPECT_EQ(hash[0].value, R"("a")");
}

TEST_F(PgvTest, AGoodResourceBreaksNothing) {
  EXPECT_THAT(Lines(fake::kCds, R"(name: "a" type: EDS connect_timeout { nanos: 1 } eds_cluster_config {
      eds_config { ads {} resource_api_version: V3 } })"),
              IsEmpty());
}

// Of a rule that is broken a million times a hundred findings are kept, and the rest counted.
TEST_F(PgvTest, FindingsOfOneRuleAreCountedBeyondTheFirstHundred) {
  std::string text = R"(name: "r")";
  for (int i = 0; i < 150; ++i) text += R"( virtual_hosts { name: "v" })";
  const auto findings = Inspect(fake::kRds, text);
  EXPECT_THAT(findings, SizeIs(100));
  EXPECT_EQ(findings.back().more, 50);
}

}  // namespace
}  // namespace xdscope::rules
