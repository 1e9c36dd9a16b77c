#include <gmock/gmock.h>

#include <string>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ListenerChecksTest : public ExamplesTest {};

constexpr std::string_view kGood = R"(
name: l
address: {socket_address: {address: 0.0.0.0, port_value: 80}}
additional_addresses: [{address: {socket_address: {address: "::", port_value: 80, ipv4_compat: true}}}]
filter_chains: [{}]
)";

const Example kExamples[] = {
    {"XDS-V020", fake::kLds, "name: l", ": has no address", kGood},
    {"XDS-V020", fake::kLds, "{}", ": has no address", "internal_listener: {}"},
    {"XDS-V021", fake::kLds, "{api_listener: {}, internal_listener: {}}",
     "api_listener: a listener is an api_listener or an internal_listener, not both", "internal_listener: {}"},
    {"XDS-V021", fake::kLds, "api_listener: {}",
     "api_listener: an api_listener from LDS is for clients of gRPC: Envoy ignores it", kGood},
    {"XDS-V022", fake::kLds, "address: {socket_address: {address: localhost, port_value: 80}}",
     "address.socket_address.address: \"localhost\" is no IP address: listeners never resolve names", kGood},
    {"XDS-V022", fake::kLds,
     "{address: {pipe: {path: /a}}, additional_addresses: [{address: {socket_address: {address: '::1:80:'}}}]}",
     "additional_addresses[0].address.socket_address.address: \"::1:80:\" is no IP address: listeners never resolve "
     "names",
     kGood},
    {"XDS-V023", fake::kLds, R"(
address: {socket_address: {address: 0.0.0.0, port_value: 80}}
additional_addresses: [{address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 81}}}]
)",
     "additional_addresses[0]: the addresses of a listener are all TCP or all UDP", kGood},
    {"XDS-V023", fake::kLds, "address: {socket_address: {address: 1.2.3.4, port_value: 80, ipv4_compat: true}}",
     "address.socket_address.ipv4_compat: ipv4_compat needs :: or an IPv4-mapped address, and not 1.2.3.4", kGood},
    {"XDS-V025", fake::kLds, "address: {socket_address: {address: 0.0.0.0, port_value: 80}}", ": has no filter chains",
     "{address: {socket_address: {address: 0.0.0.0, port_value: 80}}, default_filter_chain: {}}"},
    {"XDS-V025", fake::kLds, "internal_listener: {}", ": has no filter chains",
     "address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}"},
    {"XDS-V025", fake::kLds, "{internal_listener: {}, filter_chain_matcher: {}}", ": has no filter chains",
     "{internal_listener: {}, filter_chain_matcher: {}, fcds_config: {name: a}}"},
    {"XDS-V026", fake::kLds,
     "{address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}, filter_chains: [{}]}",
     "filter_chains[0]: a UDP listener has filter chains for QUIC alone",
     "address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}"},
    {"XDS-V026", fake::kLds, R"(
address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}
udp_listener_config: {quic_options: {}}
filter_chains: [{}]
)",
     "filter_chains[0]: a filter chain of a QUIC listener has a transport_socket", R"(
address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}
udp_listener_config: {quic_options: {}}
filter_chains:
- transport_socket:
    name: quic
    typed_config: {"@type": type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport}
)"},
    {"XDS-V026", fake::kLds, R"(
address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}
udp_listener_config: {quic_options: {}}
default_filter_chain:
  transport_socket:
    name: tls
    typed_config: {"@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext}
)",
     "default_filter_chain: the transport socket of a QUIC listener is a QuicDownstreamTransport", kGood},
    {"XDS-V027", fake::kLds, "filter_chains: [{name: a}, {name: b}]",
     "filter_chains[1]: filter chains \"a\" and \"b\" match the same connections",
     "filter_chains: [{name: a, filter_chain_match: {destination_port: 1}}, {name: b}]"},
    {"XDS-V027", fake::kLds, R"(
filter_chains:
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 8}, {address_prefix: 192.168.0.0, prefix_len: 16}], server_names: ["*.a.com"]}
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.0.0.0, prefix_len: 8}], server_names: ["*.A.com", b.com]}
)",
     "filter_chains[1].filter_chain_match: filter chains #0 and #1 match the same connections", R"(
filter_chains:
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 8}], application_protocols: [h2]}
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 9}], application_protocols: [h2]}
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 8}], application_protocols: [H2]}
- filter_chain_match: {prefix_ranges: [{address_prefix: "a00::", prefix_len: 8}], application_protocols: [h2]}
- filter_chain_match: {prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 8}], application_protocols: [h2], source_ports: [1]}
)"},
    {"XDS-V027", fake::kLds, "filter_chains: [{name: a, filter_chain_match: {server_names: [a.com, A.com]}}]",
     "filter_chains[0].filter_chain_match: filter chain \"a\" matches the same connections twice",
     "{filter_chains: [{name: a}, {name: b}], filter_chain_matcher: {}}"},
    {"XDS-V028", fake::kLds, "filter_chains: [{filter_chain_match: {server_names: [b.com, 'a*.com']}}]",
     "filter_chains[0].filter_chain_match.server_names[1]: \"a*.com\" has a wildcard that is no \"*.\" in front",
     "filter_chains: [{filter_chain_match: {server_names: ['*.com']}}]"},
    {"XDS-V029", fake::kLds, "filter_chains: [{filter_chain_match: {address_suffix: a}}]",
     "filter_chains[0].filter_chain_match: Envoy has never implemented address_suffix and suffix_len", kGood},
    {"XDS-V029", fake::kLds,
     "filter_chains: [{filter_chain_match: {source_prefix_ranges: [{address_prefix: 10.0.0.0/8}]}}]",
     "filter_chains[0].filter_chain_match.source_prefix_ranges[0]: \"10.0.0.0/8\" is no IP address",
     "filter_chains: [{filter_chain_match: {source_prefix_ranges: [{address_prefix: 10.0.0.0, prefix_len: 8}]}}]"},
    {"XDS-V030", fake::kLds, "{filter_chains: [{name: a}, {name: a}], filter_chain_matcher: {}}",
     "filter_chains[1]: \"a\" is the name of another filter chain too", "filter_chains: [{name: a}, {name: a}]"},
    {"XDS-V030", fake::kLds, "{filter_chains: [{}], filter_chain_matcher: {}}",
     "filter_chains[0]: a filter chain has a name where there is a filter_chain_matcher", "filter_chains: [{}]"},
    {"XDS-V030", fake::kLds, R"(
filter_chains: [{name: a}]
filter_chain_matcher:
  on_no_match: {action: {name: x, typed_config: {"@type": type.googleapis.com/google.protobuf.StringValue, value: b}}}
)",
     "filter_chain_matcher: the matcher names a filter chain \"b\" that there is not", R"(
filter_chains: [{name: a}]
filter_chain_matcher:
  on_no_match: {action: {name: x, typed_config: {"@type": type.googleapis.com/google.protobuf.StringValue, value: a}}}
)"},
    {"XDS-V030", fake::kLds, "fcds_config: {name: a}",
     "fcds_config: filter chains that are discovered need a filter_chain_matcher", R"(
fcds_config: {name: a}
filter_chain_matcher:
  on_no_match: {action: {name: x, typed_config: {"@type": type.googleapis.com/google.protobuf.StringValue, value: b}}}
)"},
    {"XDS-V032", fake::kLds, "{internal_listener: {}, enable_mptcp: true}",
     "enable_mptcp: an internal listener has no enable_mptcp", "{internal_listener: {}, enable_mptcp: false}"},
    {"XDS-V032", fake::kLds, "{internal_listener: {}, address: {pipe: {path: /a}}}",
     "address: an internal listener has no address", "internal_listener: {}"},
    {"XDS-V032", fake::kLds, "address: {envoy_internal_address: {server_listener_name: a}}",
     "address: an envoy_internal_address is for clusters: use internal_listener", kGood},
    {"XDS-V033", fake::kLds, "{address: {pipe: {path: /a}}, enable_mptcp: true}",
     "enable_mptcp: enable_mptcp is for IP addresses", kGood},
    {"XDS-V033", fake::kLds,
     "{address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}, enable_reuse_port: false}",
     "enable_reuse_port: UDP with more than one worker needs enable_reuse_port",
     "{address: {socket_address: {address: 0.0.0.0, port_value: 80}}, enable_reuse_port: false}"},
    {"XDS-V033", fake::kLds, R"(
address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}
udp_listener_config: {quic_options: {}}
connection_balance_config: {exact_balance: {}}
)",
     "connection_balance_config: QUIC has no connection_balance_config", kGood},
    {"XDS-V034", fake::kLds,
     "listener_filters: [{name: f, config_discovery: {apply_default_config_without_warming: true}}]",
     "listener_filters[0].config_discovery.apply_default_config_without_warming: apply_default_config_without_warming "
     "needs a default_config",
     "listener_filters: [{name: f, config_discovery: {}}]"},
    {"XDS-V034", fake::kLds, R"(
address: {socket_address: {protocol: UDP, address: 0.0.0.0, port_value: 80}}
listener_filters: [{name: f, config_discovery: {}}]
)",
     "listener_filters[0]: a UDP listener filter has no config_discovery", kGood},
    {"XDS-V035", fake::kLds, "filter_chains: [{filter_chain_match: {server_names: [a.com]}}]",
     "filter_chains[0].filter_chain_match: matches by TLS, and no listener filter looks into it", R"(
filter_chains: [{filter_chain_match: {server_names: [a.com]}}]
listener_filters:
- {name: t, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector}}
)"},
    {"XDS-V037", fake::kLds, "{}", ": has no name: Envoy makes one up, and no update can replace it", kGood},
    {"XDS-V031", fake::kLds, R"(
filter_chains:
- filters:
  - {name: t, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}}
  - {name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC}}
)",
     "filter_chains[0].filters[0]: \"t\" ends the chain, and more filters follow", R"(
filter_chains:
- filters:
  - {name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC}}
  - {name: t, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy}}
- filters:
  - {name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC}}
  - {name: d, config_discovery: {}}
)"},
    {"XDS-V031", fake::kLds, R"(
filter_chains:
- filters:
  - {name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC}}
)",
     "filter_chains[0].filters[0]: \"r\" is the last filter, and does not end the chain", "filter_chains: [{}]"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(ListenerChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

// What a TypedStruct spells counts as what it spells.
TEST_F(ListenerChecksTest, AFilterInATypedStructEndsAChain) {
  EXPECT_THAT(Findings("XDS-V031", fake::kLds, R"(
filter_chains:
- filters:
  - name: t
    typed_config:
      "@type": type.googleapis.com/xds.type.v3.TypedStruct
      type_url: x/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
      value: {stat_prefix: a, cluster: a}
)"),
              IsEmpty());
}

TEST_F(ListenerChecksTest, ThePlaceOfTheOtherChainIsRelated) {
  const auto findings = Inspect(fake::kLds, "filter_chains: [{name: a}, {name: b}]");
  const auto found = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "XDS-V027"; });
  ASSERT_NE(found, findings.end());
  ASSERT_TRUE(found->related.has_value());
  EXPECT_EQ(finding::ToText(found->related->path), "filter_chains[0]");
}

// The combinations of what a match names are many where the lists are long; Envoy has an index for them, we do not.
TEST_F(ListenerChecksTest, MatchesOfMoreThanAHundredThousandCombinationsAreNotCompared) {
  const auto listener = [](int names) {
    std::string chain = "{filter_chain_match: {server_names: [";
    for (int i = 0; i < names; ++i) chain += "a" + std::to_string(i) + ",";
    chain += "], application_protocols: [";
    for (int i = 0; i < names; ++i) chain += "p" + std::to_string(i) + ",";
    chain += "]}}";
    return "filter_chains: [" + chain + "," + chain + "]";
  };
  EXPECT_THAT(Findings("XDS-V027", fake::kLds, listener(10)), testing::SizeIs(1));
  EXPECT_THAT(Findings("XDS-V027", fake::kLds, listener(400)), IsEmpty());
}

class FilterChecksTest : public ExamplesTest {
 protected:
  // A listener with an HTTP connection manager that has these HTTP filters.
  static std::string With(std::string_view filters) {
    return R"(
filter_chains:
- filters:
  - name: h
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      http_filters: )" +
           std::string(filters);
  }
  static constexpr std::string_view kRouter =
      R"({name: r, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}})";
  static constexpr std::string_view kCors =
      R"({name: c, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors}})";

  std::vector<std::string> Of(std::string_view rule, const std::vector<std::string_view>& filters) {
    std::string list = "[";
    for (const std::string_view filter : filters) list.append(filter).append(",");
    return Findings(rule, fake::kLds, With(list + "]"));
  }
};

TEST_F(FilterChecksTest, TheRouterStandsLast) {
  constexpr std::string_view kPath = "filter_chains[0].filters[0].typed_config.http_filters";
  EXPECT_THAT(Of("XDS-V040", {kCors, kRouter}), IsEmpty());
  EXPECT_THAT(Of("XDS-V040", {}), IsEmpty());
  EXPECT_THAT(Of("XDS-V040", {kRouter, kCors}),
              ElementsAre(std::string(kPath) + "[0]: \"r\" ends the chain, and more filters follow",
                          std::string(kPath) + "[1]: \"c\" is the last filter, and does not end the chain"));
}

TEST_F(FilterChecksTest, AFilterOfSomebodyElseMayEndTheChain) {
  EXPECT_THAT(Of("XDS-V040", {R"({name: w, typed_config: {"@type": type.googleapis.com/xds.type.v3.TypedStruct,
                                  type_url: x/own.Filter}})"}),
              IsEmpty());
}

// Of the API's own packages too: a newer or contrib one, which a file may have all the same.
TEST_F(FilterChecksTest, AFilterOfAnUnknownTypeMayEndTheChain) {
  const std::string bytes = fake::Field(
      3, fake::Field(3, fake::Field(1, "f") + fake::Field(4, fake::Any("type.googleapis.com/"
                                                                       "envoy.extensions.filters.network.new.v3.New",
                                                                       ""))));
  const absl::StatusOr<wire::Message> listener = wire::Decode(bytes, *types_.Find(fake::kLds));
  ASSERT_TRUE(listener.ok());
  finding::Sample sample;
  inspector_.Inspect({fake::kLds, "r"}, listener->view(), &sample);
  for (const finding::Finding& finding : sample.kept()) EXPECT_NE(finding.rule, "XDS-V031");
}

TEST_F(FilterChecksTest, TwoFiltersOfOneNameAreAWarning) {
  EXPECT_THAT(Of("XDS-V041", {kCors, kCors, kRouter}),
              ElementsAre("filter_chains[0].filters[0].typed_config.http_filters[1]: \"c\" is the name of another HTTP "
                          "filter too"));
  EXPECT_THAT(Of("XDS-V041", {kCors, kRouter}), IsEmpty());
}

}  // namespace
}  // namespace xdscope::rules
