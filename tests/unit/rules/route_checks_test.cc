#include <gmock/gmock.h>

#include <string>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RouteChecksTest : public ExamplesTest {};

// A route of a virtual host, in the place of %s.
std::string Route(std::string_view route) {
  return "{name: v, domains: ['*'], routes: [" + std::string(route) + "]}";
}

struct RouteExample {
  std::string_view rule;
  std::string_view bad;      // a route
  std::string_view finding;  // without the path of the route
  std::string_view good;     // another route
};

const RouteExample kRoutes[] = {
    {"XDS-V044", "{match: {prefix: /}, route: {cluster: c, upgrade_configs: [{upgrade_type: a}, {upgrade_type: A}]}}",
     ".route.upgrade_configs[1]: \"A\" is the type of another upgrade too",
     "{match: {prefix: /}, route: {cluster: c, upgrade_configs: [{upgrade_type: a}, {upgrade_type: b}]}}"},
    {"XDS-V044",
     "{match: {prefix: /}, route: {cluster: c, upgrade_configs: [{upgrade_type: websocket, connect_config: {}}]}}",
     ".route.upgrade_configs[0]: a connect_config is for CONNECT",
     "{match: {prefix: /}, route: {cluster: c, upgrade_configs: [{upgrade_type: CONNECT, connect_config: {}}]}}"},
    {"XDS-V048",
     "{match: {prefix: /}, route: {cluster: c, prefix_rewrite: /a, regex_rewrite: {pattern: {regex: b}, substitution: "
     "c}}}",
     ".route: prefix_rewrite, regex_rewrite and path_rewrite_policy exclude each other",
     "{match: {prefix: /}, route: {cluster: c, prefix_rewrite: /a}}"},
    {"XDS-V048", "{match: {path_match_policy: {name: m}}, route: {cluster: c, prefix_rewrite: /a}}",
     ".route.prefix_rewrite: a prefix_rewrite needs a prefix, and not a path_match_policy",
     "{match: {path_match_policy: {name: m}}, route: {cluster: c}}"},
    {"XDS-V048", R"({match: {path_match_policy: {name: m, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig,
        path_template: "/a/{id=*}"}}},
      route: {cluster: c, path_rewrite_policy: {name: r, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.path.rewrite.uri_template.v3.UriTemplateRewriteConfig,
        path_template_rewrite: "/{id}/{name}"}}}})",
     ".route.path_rewrite_policy: the match binds no variable name",
     R"({match: {path_match_policy: {name: m, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig,
        path_template: "/a/{id=*}"}}},
      route: {cluster: c, path_rewrite_policy: {name: r, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.path.rewrite.uri_template.v3.UriTemplateRewriteConfig,
        path_template_rewrite: "/{id}"}}}})"},
    {"XDS-V048", R"({match: {prefix: /}, route: {cluster: c, path_rewrite_policy: {name: r, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.path.rewrite.uri_template.v3.UriTemplateRewriteConfig,
        path_template_rewrite: "/{id}"}}}})",
     ".route.path_rewrite_policy: a URI template rewrites what a URI template has matched",
     "{match: {prefix: /}, route: {cluster: c}}"},
    {"XDS-V049",
     "{match: {prefix: /}, route: {cluster: c, request_mirror_policies: [{cluster: d, cluster_header: x}]}}",
     ".route.request_mirror_policies[0]: cluster and cluster_header exclude each other",
     "{match: {prefix: /}, route: {cluster: c, request_mirror_policies: [{cluster: d}, {cluster_header: x}]}}"},
    {"XDS-V049", "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{weight: 1}]}}}",
     ".route.weighted_clusters.clusters[0]: needs name or cluster_header",
     "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{weight: 1, name: a}]}}}"},
    {"XDS-V050",
     "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{name: a, weight: 0}, {name: b, weight: 0}]}}}",
     ".route.weighted_clusters.clusters: the weights add up to 0",
     "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{name: a, weight: 0}, {name: b, weight: 1}]}}}"},
    {"XDS-V050", R"({match: {prefix: /}, route: {weighted_clusters: {clusters: [
        {name: a, weight: 4294967295}, {name: b, weight: 1}]}}})",
     ".route.weighted_clusters.clusters: the weights add up to more than 4294967295",
     "{match: {prefix: /}, route: {weighted_clusters: {clusters: [{name: a, weight: 4294967295}]}}}"},
    {"XDS-V052",
     "{match: {prefix: /}, route: {cluster: c, retry_policy: {retry_back_off: {base_interval: 2s, max_interval: 1s}}}}",
     ".route.retry_policy.retry_back_off.max_interval: max_interval is less than base_interval",
     "{match: {prefix: /}, route: {cluster: c, retry_policy: {retry_back_off: {base_interval: 2s, max_interval: "
     "2s}}}}"},
    {"XDS-V053", "{match: {prefix: /}, request_headers_to_add: [{header: {key: ':path', value: a}}]}",
     ".request_headers_to_add[0].header.key: the header :path may not be modified",
     "{match: {prefix: /}, request_headers_to_add: [{header: {key: x-host, value: a}}]}"},
    {"XDS-V053", "{match: {prefix: /}, response_headers_to_remove: [x, Host]}",
     ".response_headers_to_remove[1]: the header Host may not be removed",
     "{match: {prefix: /}, response_headers_to_remove: [x]}"},
    {"XDS-V054", "{match: {safe_regex: {regex: '^(?!admin)'}}}",
     ".match.safe_regex.regex: is no regular expression of RE2: invalid perl operator",
     "{match: {safe_regex: {regex: '^(?:admin)'}}}"},
    {"XDS-V054", R"({match: {prefix: /}, route: {cluster: c, regex_rewrite: {pattern: {regex: '(a)'},
  substitution : '\2'
}
}
})",
     ".route.regex_rewrite.substitution: Rewrite schema requests 2 matches, but the regexp only has 1 parenthesized "
     "subexpressions.",
     R"({match: {prefix: /}, route: {cluster: c, regex_rewrite: {pattern: {regex: '(a)'
}
, substitution : '\1'
}
}
})"},
    {"XDS-V056", R"({match: {prefix: /}, typed_per_filter_config: {r: {
        "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}})",
     ".typed_per_filter_config[\"r\"]: envoy.extensions.filters.http.router.v3.Router has no form for routes",
     R"({match: {prefix: /}, typed_per_filter_config: {c: {
        "@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy}}})"},
    {"XDS-V056", R"({match: {prefix: /}, typed_per_filter_config: {b: {
        "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer}}})",
     ".typed_per_filter_config[\"b\"]: envoy.extensions.filters.http.buffer.v3.Buffer is for the whole; for routes "
     "there is envoy.extensions.filters.http.buffer.v3.BufferPerRoute",
     R"({match: {prefix: /}, typed_per_filter_config: {b: {
        "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute}}})"},
    {"XDS-V056",
     R"({match: {prefix: /}, typed_per_filter_config: {b: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig}}})",
     ".typed_per_filter_config[\"b\"]: has no config and does not turn the filter off",
     R"({match: {prefix: /}, typed_per_filter_config: {
        b: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true},
        c: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, config: {}}}})"},
    {"XDS-V060", "{match: {prefix: /}, route: {cluster: c, timeout: 1s, retry_policy: {per_try_timeout: 2s}}}",
     ".route.retry_policy.per_try_timeout: per_try_timeout is more than the timeout of the whole",
     "{match: {prefix: /}, route: {cluster: c, timeout: 0s, retry_policy: {per_try_timeout: 2s}}}"},
    {"XDS-V063", "{match: {prefix: /}, request_headers_to_add: [{header: {key: x, value: '%DOWNSTREAM_ADDRES%'}}]}",
     ".request_headers_to_add[0].header.value: is no format string of Envoy: unknown command DOWNSTREAM_ADDRES",
     "{match: {prefix: /}, request_headers_to_add: [{header: {key: x, value: '%REQ(X?Y):3% 100%%'}}]}"},
};
[[maybe_unused]] const bool kRoutesNoted = NoteRules(kRoutes);

TEST_F(RouteChecksTest, EachRuleOfRoutesIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const RouteExample& example : kRoutes) {
    EXPECT_THAT(Findings(example.rule, fake::kVhds, Route(example.bad)),
                testing::Contains("routes[0]" + std::string(example.finding)))
        << example.rule;
    EXPECT_THAT(Findings(example.rule, fake::kVhds, Route(example.good)), IsEmpty()) << example.rule;
  }
}

const Example kExamples[] = {
    {"XDS-V059", fake::kVhds, "routes: [{name: all, match: {prefix: /}}, {match: {prefix: /a}}]",
     "routes[1].match: no request comes here: \"all\" takes them all",
     "routes: [{match: {prefix: /a}}, {match: {connect_matcher: {}}}, {match: {prefix: /}}]"},
    {"XDS-V059", fake::kVhds, "routes: [{match: {path: /a}}, {match: {path: /a}}]",
     "routes[1].match: no request comes here: routes[0] takes them all",
     "routes: [{match: {path: /a, runtime_fraction: {default_value: {numerator: 1}}}}, {match: {path: /a}}]"},
    {"XDS-V059", fake::kRds,
     "virtual_hosts: [{name: v, routes: [{match: {prefix: /}}, {match: {connect_matcher: {}}}, "
     "{match: {connect_matcher: {}}}]}]",
     "virtual_hosts[0].routes[2].match: no request comes here: routes[1] takes them all",
     "virtual_hosts: [{name: v, routes: [{match: {prefix: /, headers: [{name: a}]}}, {match: {prefix: /a}}]}]"},
    {"XDS-V045", fake::kRds, "virtual_hosts: [{name: a, domains: [x, Shop]}, {name: b, domains: [shop]}]",
     "virtual_hosts[1].domains[0]: the domain shop stands here twice",
     "virtual_hosts: [{name: a, domains: ['*.shop', shop.*]}, {name: b, domains: [shop, '*']}]"},
    {"XDS-V045", fake::kRds, "virtual_hosts: [{name: a}, {name: a}]",
     "virtual_hosts[1]: \"a\" is the name of another virtual host too", "virtual_hosts: [{name: a}, {name: A}]"},
    {"XDS-V046", fake::kVhds, "domains: [x, a.*.com]",
     "domains[1]: \"a.*.com\" has a wildcard that is not its first or last character alone",
     "domains: ['*', '*.a', 'a.*', a]"},
    {"XDS-V047", fake::kVhds, "{matcher: {}, routes: [{}]}", "matcher: matcher and routes exclude each other",
     "matcher: {}"},
    {"XDS-V047", fake::kVhds, "virtual_clusters: [{name: c}]", "virtual_clusters[0]: a virtual cluster has headers",
     "virtual_clusters: [{name: c, headers: [{name: a, present_match: true}]}]"},
    {"XDS-V055", fake::kRds, R"(
max_direct_response_body_size_bytes: 3
virtual_hosts: [{routes: [{direct_response: {status: 200, body: {inline_string: abcd}}}]}]
)",
     "virtual_hosts[0].routes[0].direct_response.body: the body has 4 bytes, and may have 3", R"(
max_direct_response_body_size_bytes: 3
virtual_hosts: [{routes: [{direct_response: {status: 200, body: {inline_string: abc}}}]}]
)"},
    {"XDS-V058", fake::kRds, R"(
cluster_specifier_plugins: [{extension: {name: a}}]
virtual_hosts: [{routes: [{}, {route: {cluster_specifier_plugin: b}}]}]
)",
     "virtual_hosts[0].routes[1].route.cluster_specifier_plugin: \"b\" is none of the cluster_specifier_plugins", R"(
cluster_specifier_plugins: [{extension: {name: a}}]
virtual_hosts: [{routes: [{}, {route: {cluster_specifier_plugin: a}}]}]
)"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(RouteChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

TEST_F(RouteChecksTest, ABodyMayHave4096BytesUnlessMoreIsSaid) {
  const auto with = [](std::size_t size) {
    return "virtual_hosts: [{routes: [{direct_response: {status: 200, body: {inline_string: " + std::string(size, 'a') +
           "}}}]}]";
  };
  EXPECT_THAT(Findings("XDS-V055", fake::kRds, with(4096)), IsEmpty());
  EXPECT_THAT(Findings("XDS-V055", fake::kRds, with(4097)), testing::SizeIs(1));
}

// The header of an added header is not one of those whose values are secret; this one is.
TEST_F(RouteChecksTest, AnExpressionInASecretPlaceIsNotShown) {
  const auto findings = Inspect(fake::kVhds, Route(R"({match: {prefix: /, headers: [
      {name: authorization, string_match: {safe_regex: {regex: "Bearer (abc"}}}]}})"));
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "XDS-V054"; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->value, R"("[redacted]")");
  EXPECT_EQ(found->message.find("abc"), std::string::npos) << found->message;
}

class ManagerChecksTest : public ExamplesTest {
 protected:
  // A listener with an HTTP connection manager that has these fields.
  static std::string With(std::string_view fields, std::string_view listener = "name: l") {
    return std::string(listener) + R"(
filter_chains:
- filters:
  - name: h
    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager, )" +
           std::string(fields) + "}\n";
  }
  // What is found of a rule, without the path of the manager.
  std::vector<std::string> Of(std::string_view rule, const std::string& yaml) {
    std::vector<std::string> lines = Findings(rule, fake::kLds, yaml);
    constexpr std::string_view kPath = "filter_chains[0].filters[0].typed_config.";
    for (std::string& line : lines) {
      if (line.starts_with(kPath)) line.erase(0, kPath.size());
    }
    return lines;
  }
};

TEST_F(ManagerChecksTest, OptionsThatExcludeEachOther) {
  EXPECT_THAT(Of("XDS-V042", With("strip_matching_host_port: true, strip_any_host_port: true")),
              ElementsAre("strip_any_host_port: strip_any_host_port and strip_matching_host_port exclude each other"));
  EXPECT_THAT(Of("XDS-V042", With("common_http_protocol_options: {max_response_headers_kb: 1}")),
              ElementsAre("common_http_protocol_options: max_response_headers_kb is for clusters"));
  EXPECT_THAT(Of("XDS-V042", With("original_ip_detection_extensions: [{name: a}], use_remote_address: true, "
                                  "xff_num_trusted_hops: 1")),
              ElementsAre("original_ip_detection_extensions: original_ip_detection_extensions and use_remote_address "
                          "exclude each other",
                          "original_ip_detection_extensions: original_ip_detection_extensions and xff_num_trusted_hops "
                          "exclude each other"));
  EXPECT_THAT(Of("XDS-V042", With("access_log_options: {}, access_log_flush_interval: 1s")),
              ElementsAre("access_log_options: access_log_options and access_log_flush_interval exclude each other"));
  EXPECT_THAT(Of("XDS-V042", With("strip_any_host_port: true, use_remote_address: true, access_log_options: {}")),
              IsEmpty());
}

TEST_F(ManagerChecksTest, TheCodecGoesWithTheListener) {
  constexpr std::string_view kQuic =
      "{address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 1}}, udp_listener_config: "
      "{quic_options: "
      "{}}";
  const auto quic = [&](std::string_view fields) {
    return std::string(kQuic) + R"(, filter_chains: [{filters: [{name: h, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager, )" +
           std::string(fields) + "}}]}]}";
  };
  EXPECT_THAT(Of("XDS-V043", quic("codec_type: AUTO")),
              ElementsAre("codec_type: a manager of a QUIC listener has the codec_type HTTP3"));
  EXPECT_THAT(Of("XDS-V043", quic("codec_type: HTTP3")), IsEmpty());
  EXPECT_THAT(Of("XDS-V043", With("codec_type: HTTP3")), ElementsAre("codec_type: the codec_type HTTP3 is for QUIC"));
  EXPECT_THAT(Of("XDS-V043", With("codec_type: HTTP2")), IsEmpty());
}

TEST_F(ManagerChecksTest, TypesOfUpgradesAreComparedWithoutCase) {
  EXPECT_THAT(Of("XDS-V044", With("upgrade_configs: [{upgrade_type: websocket}, {upgrade_type: WebSocket}]")),
              ElementsAre("upgrade_configs[1]: \"WebSocket\" is the type of another upgrade too"));
}

TEST_F(ManagerChecksTest, FormatStringsOfLogsAreReadInEveryForm) {
  const auto log = [](std::string_view format) {
    return With(R"(access_log: [{name: l, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog, log_format: {)" +
                std::string(format) + "}}}]");
  };
  constexpr std::string_view kPath = "access_log[0].typed_config.log_format.";
  EXPECT_THAT(Of("XDS-V063", log("json_format: {a: {b: ['%REQ(X)%', '%BYTES%']}}")),
              ElementsAre(std::string(kPath) +
                          "json_format[\"a\"][\"b\"][1]: is no format string of Envoy: unknown command BYTES"));
  EXPECT_THAT(Of("XDS-V063", log("text_format_source: {inline_string: '50%'}")),
              ElementsAre(std::string(kPath) +
                          "text_format_source.inline_string: is no format string of Envoy: no command at byte 3"));
  EXPECT_THAT(Of("XDS-V063", log("text_format: '%START_TIME(%Y/%m/%d)% %RESPONSE_CODE%'")), IsEmpty());
  EXPECT_THAT(Of("XDS-V063", log("text_format: '%OWN%', formatters: [{name: own}]")), IsEmpty());
}

TEST_F(ManagerChecksTest, ARequirementNamesAProvider) {
  const auto jwt = [](std::string_view name) {
    return With(R"(http_filters: [{name: j, typed_config: {
        "@type": type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication,
        providers: {p: {}}, rules: [{match: {prefix: /}, requires: {requires_any: {requirements: [
            {provider_and_audiences: {provider_name: )" +
                std::string(name) + "}}]}}}]}}]");
  };
  EXPECT_THAT(Of("XDS-V211", jwt("p")), IsEmpty());
  EXPECT_THAT(Of("XDS-V211", jwt("q")),
              ElementsAre("http_filters[0].typed_config.rules[0].requires.requires_any.requirements[0]."
                          "provider_and_audiences.provider_name: there is no provider \"q\""));
}

}  // namespace
}  // namespace xdscope::rules
