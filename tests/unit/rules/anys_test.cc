#include <gmock/gmock.h>

#include "lib/finding/rules.h"
#include "lib/rules/check.h"
#include "tests/fake/text_messages.h"
#include "tests/unit/rules/examples.h"
#include "tests/unit/rules/rules_schema.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AnysTest : public ExamplesTest {};

constexpr std::string_view kTcpProxy = R"(
filter_chains:
- filters:
  - name: f
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy, stat_prefix: a, cluster: a}
)";

const Example kExamples[] = {
    {"XDS-V121", fake::kLds, "filter_chains: [{filters: [{name: f}]}]",
     "filter_chains[0].filters[0]: \"f\" has no typed_config, so nobody knows what it is", kTcpProxy},
    {"XDS-V121", fake::kLds, "access_log: [{name: l}]",
     "access_log[0]: \"l\" has no typed_config, so nobody knows what it is",
     "filter_chains: [{filters: [{name: f, config_discovery: {type_urls: [x/y], config_source: {ads: {}}}}]}]"},
    {"XDS-V123", fake::kLds, R"(
filter_chains:
- filters: [{name: f, typed_config: {"@type": type.googleapis.com/envoy.config.filter.network.tcp_proxy.v2.TcpProxy}}]
)",
     "filter_chains[0].filters[0].typed_config: envoy.config.filter.network.tcp_proxy.v2.TcpProxy is a type of the v2 "
     "API",
     kTcpProxy},
    {"XDS-V125", fake::kLds, R"(
listener_filters:
- {name: f, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}}
)",
     "listener_filters[0].typed_config: envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy is a network filter; a "
     "listener filter belongs here",
     kTcpProxy},
    {"XDS-V125", fake::kCds, R"(
load_balancing_policy:
  policies:
  - typed_extension_config: {name: p, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}}
)",
     "load_balancing_policy.policies[0].typed_extension_config.typed_config: "
     "envoy.extensions.filters.http.cors.v3.Cors "
     "is an HTTP filter; a load-balancing policy belongs here",
     R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.maglev.v3.Maglev}
)"},
    {"XDS-V126", fake::kLds, R"(
filter_chains:
- filters:
  - name: envoy.filters.network.rbac
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}
)",
     "filter_chains[0].filters[0].typed_config: \"envoy.filters.network.rbac\" is the usual name of another extension "
     "than envoy.filters.network.tcp_proxy",
     R"(
filter_chains:
- filters:
  - name: envoy.filters.network.tcp_proxy
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}
- filters:
  - name: envoy.tcp_proxy
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}
)"},
    {"XDS-V129", fake::kCds, R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst}
)",
     "load_balancing_policy.policies[0].typed_extension_config.typed_config: "
     "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst is in the API, and not in Envoy",
     R"(
load_balancing_policy:
  policies:
  - typed_extension_config:
      name: p
      typed_config: {"@type": type.googleapis.com/envoy.extensions.load_balancing_policies.maglev.v3.Maglev}
)"},
    {"XDS-V130", fake::kRds, "virtual_hosts: [{routes: [{route: {max_grpc_timeout: 1s}}]}]",
     "virtual_hosts[0].routes[0].route.max_grpc_timeout: max_grpc_timeout is deprecated",
     "virtual_hosts: [{routes: [{route: {max_stream_duration: {max_stream_duration: 1s}}}]}]"},
    {"XDS-V131", fake::kRds, "virtual_hosts: [{rate_limits: [{actions: [{dynamic_metadata: {}}]}]}]",
     "virtual_hosts[0].rate_limits[0].actions[0].dynamic_metadata: dynamic_metadata is deprecated, and not allowed by "
     "default",
     "virtual_hosts: [{rate_limits: [{actions: [{metadata: {}}]}]}]"},
    {"XDS-V131", fake::kCds, "eds_cluster_config: {eds_config: {api_config_source: {}}}",
     "eds_cluster_config.eds_config.api_config_source.api_type: the value DEPRECATED_AND_UNAVAILABLE_DO_NOT_USE is "
     "deprecated, and not allowed by default",
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC}}}"},
    {"XDS-V132", fake::kCds, "http_protocol_options: {allow_custom_methods: true}",
     "http_protocol_options.allow_custom_methods: allow_custom_methods is work in progress",
     "http_protocol_options: {accept_http_10: true}"},
    {"XDS-V122", fake::kLds, R"(
filter_chains:
- filters:
  - name: t
    typed_config: {"@type": https://example.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}
)",
     "filter_chains[0].filters[0].typed_config: the type URL "
     "https://example.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy does not begin with "
     "type.googleapis.com/",
     R"(
filter_chains:
- filters:
  - name: t
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}
)"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(AnysTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

TEST_F(AnysTest, AnOldTypeIsShownItsSuccessor) {
  const auto findings = Inspect(fake::kLds, kExamples[2].bad);
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "XDS-V123"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->help, "use type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy");
}

TEST_F(AnysTest, AV2ResourceMayHoldV2Types) {
  EXPECT_THAT(Findings("XDS-V123", "type.googleapis.com/envoy.api.v2.Listener", R"(
filter_chains:
- filters: [{name: f, typed_config: {"@type": type.googleapis.com/envoy.config.filter.network.tcp_proxy.v2.TcpProxy}}]
)"),
              IsEmpty());
}

// Of what comes in binary.
class UnopenedTest : public AnysTest {
 protected:
  // What is said of a listener with this Any in its filter.
  std::vector<std::string> With(std::string_view type_url, std::string_view value) {
    const std::string filter = fake::Field(1, "f") + fake::Field(4, fake::Any(type_url, value));
    const std::string listener = fake::Field(3, fake::Field(3, filter));
    const absl::StatusOr<wire::Message> message = wire::Decode(listener, *types_.Find(fake::kLds));
    EXPECT_TRUE(message.ok()) << message.status();
    finding::Sample sample;
    inspector_.Inspect({fake::kLds, "r"}, message->view(), &sample);
    std::vector<std::string> lines;
    for (const finding::Finding& finding : sample.kept()) {
      if (finding.rule.starts_with("XDS-V12")) lines.push_back(finding::ToText(finding));
    }
    return lines;
  }
};

TEST_F(UnopenedTest, AnAnyThatDoesNotOpenSaysWhy) {
  EXPECT_THAT(With("type.googleapis.com/a.B", ""), ElementsAre("unknown type a.B [XDS-V120]"));
  EXPECT_THAT(With("", "abc"), ElementsAre("has no type [XDS-V121]"));
  EXPECT_THAT(With("type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", "\x0a\x05x"),
              ElementsAre("is no envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy: at byte 0: "
                          "malformed or cut off field [XDS-V127]"));
}

TEST_F(UnopenedTest, ATypeUrlWithoutASlashIsRefused) {
  EXPECT_THAT(
      With("envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", fake::Field(1, "s") + fake::Field(2, "c")),
      ElementsAre("the type URL envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy has no \"/\" [XDS-V122]"));
}

TEST_F(UnopenedTest, AnEmptyAnyTurnsAFilterOn) {
  const std::string config = fake::Field(1, "");  // FilterConfig.config
  const std::string host =
      fake::Field(1, "v") + fake::Field(2, "*") +
      fake::Field(15, fake::Field(1, "f") +
                          fake::Field(2, fake::Any("type.googleapis.com/envoy.config.route.v3.FilterConfig", config)));
  const absl::StatusOr<wire::Message> message = wire::Decode(host, *types_.Find(fake::kVhds));
  ASSERT_TRUE(message.ok());
  finding::Sample sample;
  inspector_.Inspect({fake::kVhds, "r"}, message->view(), &sample);
  EXPECT_THAT(sample.kept(), IsEmpty());
}

TEST_F(UnopenedTest, ATypedStructThatDoesNotFitSaysWhy) {
  EXPECT_THAT(Findings("XDS-V128", fake::kLds, R"(
filter_chains:
- filters:
  - name: f
    typed_config:
      "@type": type.googleapis.com/xds.type.v3.TypedStruct
      type_url: x/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
      value: {stat_prefix: 7}
)"),
              ElementsAre(testing::HasSubstr("stat_prefix")));
}

// They come with a --schema; the built-in one has none.
[[maybe_unused]] const bool kStageNoted = NoteRules(std::vector<Example>{{"XDS-V124", {}, {}, {}, {}}});

TEST(StageTest, ATypeOfAnAlphaVersionIsNotInEveryBuild) {
  const schema::Schema schema =
      SchemaWith("message M { google.protobuf.Any f = 1; } message N {}", "contrib/v3alpha/t.proto");
  wire::Types types(schema);
  Inspector inspector(types);
  const std::string bytes = fake::Field(1, fake::Any("type.googleapis.com/t.N", ""));
  const absl::StatusOr<wire::Message> message = wire::Decode(bytes, *types.Find("t.M"));
  ASSERT_TRUE(message.ok());
  finding::Sample sample;
  inspector.Inspect({"t.M", "r"}, message->view(), &sample);
  ASSERT_EQ(sample.kept().size(), 1);
  EXPECT_EQ(finding::ToText(sample.kept()[0]), "t.N is in builds with contrib extensions alone [XDS-V124]");
}

// A table of checks whose fields the schema does not have would be off without a word.
TEST(ChecksTest, TheSchemaHasEveryFieldThatAChecksReads) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  for (const Check& check : AllChecks()) {
    for (const std::string_view name : check.messages) EXPECT_NE(types.Find(name), nullptr) << name;
    for (const std::string_view path : check.reads) {
      const std::size_t dot = path.rfind('.');
      const wire::Type* const type = types.Find(path.substr(0, dot));
      ASSERT_NE(type, nullptr) << path;
      EXPECT_NE(type->Find(path.substr(dot + 1)), nullptr) << path;
    }
  }
}

TEST(ChecksTest, EachCheckHasARow) {
  for (const Check& check : AllChecks()) EXPECT_NE(finding::FindRule(check.id), nullptr) << check.id;
}

}  // namespace
}  // namespace xdscope::rules
