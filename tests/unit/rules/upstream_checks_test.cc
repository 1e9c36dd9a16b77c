#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::ElementsAre;

class UpstreamChecksTest : public ExamplesTest {
 protected:
  // Findings in a cluster with these HttpProtocolOptions, and more of its own.
  std::vector<std::string> With(std::string_view rule, std::string_view options, std::string_view cluster = "") {
    return Findings(rule, fake::kCds,
                    fmt::format(R"(
{}
typed_extension_protocol_options:
  envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
    "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
    {}
)",
                                cluster, options));
  }
};

// Where the options of a cluster stand.
const std::string kOptions =
    "typed_extension_protocol_options[\"envoy.extensions.upstreams.http.v3.HttpProtocolOptions\"]";

std::string Socket(std::string_view name, std::string_view type, std::string_view more = "") {
  return fmt::format(
      "{{name: {}, typed_config: {{\"@type\": type.googleapis.com/envoy.extensions.transport_sockets.{}, {}}}}}", name,
      type, more);
}
const std::string kTls = Socket("tls", "tls.v3.UpstreamTlsContext");
const std::string kRaw = Socket("raw", "raw_buffer.v3.RawBuffer");

std::string Proxied(const std::string& socket) {
  return Socket("p", "proxy_protocol.v3.ProxyProtocolUpstreamTransport", "transport_socket: " + socket);
}

TEST_F(UpstreamChecksTest, AgreeingOnAProtocolTakesTls) {
  const std::string finding =
      kOptions + ".auto_config: auto_config needs TLS, to agree on a protocol, and the cluster's ";
  constexpr std::string_view kAuto = "auto_config: {}";
  EXPECT_THAT(With("XDS-V078", kAuto), ElementsAre(finding + "transport_socket is not set"));
  EXPECT_THAT(With("XDS-V078", kAuto, "transport_socket: " + kRaw), ElementsAre(finding + "transport_socket has none"));
  EXPECT_THAT(With("XDS-V078", kAuto, "transport_socket: " + Proxied(kRaw)),
              ElementsAre(finding + "transport_socket has none"));
  EXPECT_THAT(With("XDS-V078", kAuto, "transport_socket: " + kTls + "\ntransport_socket_matches: [{name: a}]"),
              ElementsAre(finding + "transport_socket_matches[0] has none"));
  EXPECT_THAT(With("XDS-V078", kAuto, "transport_socket: " + Proxied(kTls)), ElementsAre());
  EXPECT_THAT(
      With("XDS-V078", kAuto,
           "transport_socket: " + kTls + "\ntransport_socket_matches: [{name: a, transport_socket: " + kTls + "}]"),
      ElementsAre());
  EXPECT_THAT(With("XDS-V078", "explicit_http_config: {http2_protocol_options: {}}"), ElementsAre());
}

// Envoy looks for the socket by its name.
TEST_F(UpstreamChecksTest, Http3TakesASocketOfTheRightName) {
  const std::string quic = Socket("envoy.transport_sockets.quic", "quic.v3.QuicUpstreamTransport");
  constexpr std::string_view kHttp3 = "explicit_http_config: {http3_protocol_options: {}}";
  const std::string finding = kOptions +
                              ".explicit_http_config.http3_protocol_options: HTTP/3 needs a transport_socket with the "
                              "name \"envoy.transport_sockets.quic\"";
  EXPECT_THAT(With("XDS-V078", kHttp3, "transport_socket: " + kTls), ElementsAre(finding));
  EXPECT_THAT(With("XDS-V078", kHttp3, "transport_socket: " + Socket("q", "quic.v3.QuicUpstreamTransport")),
              ElementsAre(finding));
  EXPECT_THAT(With("XDS-V078", kHttp3, "transport_socket: " + quic), ElementsAre());
  EXPECT_THAT(
      With("XDS-V078", kHttp3,
           "transport_socket: " + Socket("envoy.transport_sockets.http_11_proxy",
                                         "http_11_proxy.v3.Http11ProxyUpstreamTransport", "transport_socket: " + quic)),
      ElementsAre());
  EXPECT_THAT(With("XDS-V078", "auto_config: {http3_protocol_options: {}}", "transport_socket: " + quic),
              ElementsAre(kOptions + ".auto_config: HTTP/3 in auto_config needs alternate_protocols_cache_options"));
  EXPECT_THAT(With("XDS-V078", "explicit_http_config: {http_protocol_options: {}}", "transport_socket: " + quic),
              ElementsAre(kOptions + ": the cluster's transport_socket is for QUIC, and HTTP/3 is not on"));
}

// Envoy looks for the options by their name too.
TEST_F(UpstreamChecksTest, OptionsOfAnotherNameAreNotTheClusters) {
  EXPECT_THAT(Findings("XDS-V078", fake::kCds, R"(
typed_extension_protocol_options:
  other: {"@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions, auto_config: {}}
)"),
              ElementsAre());
}

TEST_F(UpstreamChecksTest, UpstreamFiltersEndWithTheCodec) {
  constexpr std::string_view kCodec =
      "{name: c, typed_config: {\"@type\": "
      "type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec}}";
  constexpr std::string_view kOther =
      "{name: o, typed_config: {\"@type\": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer}}";
  EXPECT_THAT(With("XDS-V079", fmt::format("http_filters: [{}, {}]", kOther, kCodec)), ElementsAre());
  EXPECT_THAT(With("XDS-V079", "http_filters: []"), ElementsAre());
  EXPECT_THAT(With("XDS-V079", fmt::format("http_filters: [{}, {}]", kCodec, kOther)),
              ElementsAre(kOptions + ".http_filters[0]: \"c\" is an UpstreamCodec, and more upstream filters follow",
                          kOptions + ".http_filters[1]: \"o\" is the last upstream filter, and not an UpstreamCodec"));
}

TEST_F(UpstreamChecksTest, OptionsStandInOnePlace) {
  constexpr std::string_view kMost = "common_http_protocol_options: {max_requests_per_connection: 1}";
  EXPECT_THAT(With("XDS-V080", kMost), ElementsAre());
  EXPECT_THAT(With("XDS-V080", kMost, "max_requests_per_connection: 1"),
              ElementsAre(kOptions + ".common_http_protocol_options.max_requests_per_connection: "
                                     "max_requests_per_connection is set in the cluster too"));
  EXPECT_THAT(With("XDS-V080", "explicit_http_config: {}", "http2_protocol_options: {}"),
              ElementsAre("http2_protocol_options: HttpProtocolOptions take the place of http2_protocol_options"));
}

const Example kExamples[] = {
    {"XDS-V082", fake::kRds, "vhds: {config_source: {path_config_source: {path: f}}}",
     "vhds.config_source: virtual hosts come by a delta stream: DELTA_GRPC or ads", "vhds: {config_source: {ads: {}}}"},
    {"XDS-V082", fake::kRds,
     "vhds: {config_source: {api_config_source: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: a}}]}}}",
     "vhds.config_source: virtual hosts come by a delta stream: DELTA_GRPC or ads",
     "vhds: {config_source: {api_config_source: {api_type: DELTA_GRPC, "
     "grpc_services: [{envoy_grpc: {cluster_name: a}}]}}}"},
    {"XDS-V080", fake::kCds, "{http_protocol_options: {}, http2_protocol_options: {}}",
     "http2_protocol_options: http_protocol_options and http2_protocol_options together need protocol_selection "
     "USE_DOWNSTREAM_PROTOCOL",
     "{http_protocol_options: {}, http2_protocol_options: {}, protocol_selection: USE_DOWNSTREAM_PROTOCOL}"},
    {"XDS-V082", fake::kCds, "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC}}}",
     "eds_cluster_config.eds_config.api_config_source: has no grpc_services",
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC, grpc_services: [{}]}}}"},
    {"XDS-V082", fake::kCds, "eds_cluster_config: {eds_config: {api_config_source: {api_type: REST}}}",
     "eds_cluster_config.eds_config.api_config_source: has no cluster_names",
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: REST, cluster_names: [a], refresh_delay: 1s}}}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: DELTA_GRPC, cluster_names: [a]}}}",
     "eds_cluster_config.eds_config.api_config_source.cluster_names: cluster_names is for REST: gRPC has grpc_services",
     "eds_cluster_config: {eds_config: {ads: {}}}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC, grpc_services: [{}, {}]}}}",
     "eds_cluster_config.eds_config.api_config_source.grpc_services: has 2 gRPC services, and one is meant",
     "eds_cluster_config: {eds_config: {self: {}}}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: REST, grpc_services: [{}]}}}",
     "eds_cluster_config.eds_config.api_config_source.grpc_services: grpc_services is for gRPC: REST has cluster_names",
     "{}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: REST, cluster_names: [a, b]}}}",
     "eds_cluster_config.eds_config.api_config_source.cluster_names: has 2 clusters, and one is meant", "{}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: REST, cluster_names: [a]}}}",
     "eds_cluster_config.eds_config.api_config_source: REST needs a refresh_delay", "{}"},
    {"XDS-V082", fake::kCds,
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC, grpc_services: [{}], "
     "transport_api_version: "
     "V2}}}",
     "eds_cluster_config.eds_config.api_config_source.transport_api_version: Envoy does not speak version 2 any more",
     "eds_cluster_config: {eds_config: {api_config_source: {api_type: GRPC, grpc_services: [{}], "
     "transport_api_version: "
     "V3}}}"},
    {"XDS-V088", fake::kCds,
     "filters: [{name: f, typed_config: {\"@type\": type.googleapis.com/google.protobuf.Empty}, config_discovery: {}}]",
     "filters[0]: \"f\" has a typed_config and a config_discovery", "filters: [{name: f, config_discovery: {}}]"},
};
[[maybe_unused]] const bool kExamplesNoted = NoteRules(kExamples);

TEST_F(UpstreamChecksTest, EachRuleIsBrokenByItsBadExampleAndKeptByTheGoodOne) {
  for (const Example& example : kExamples) ExpectHolds(example);
}

}  // namespace
}  // namespace xdscope::rules
