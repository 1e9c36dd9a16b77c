// The whole catalogue of rules: each has a row in lib/finding and examples, or is not looked for, for a reason.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/client/file_judge.h"
#include "lib/finding/rules.h"
#include "tests/unit/rules/examples.h"

namespace xdscope::rules {
namespace {

using ::testing::Contains;
using ::testing::Not;

// The ids of the catalogue (validation.md 2.1 to 2.7, 3.1, 3.2), by the first and last number of each run.
struct Ids {
  int first;
  int last;
};
constexpr Ids kCatalogue[] = {{1, 15}, {20, 37}, {40, 63}, {70, 88}, {90, 96}, {100, 107}, {110, 117}, {120, 134}};

// What is not looked for.
const std::map<std::string_view, std::string_view> kNotLookedFor = {
    {"XDS-V013", "how Envoy notices that a file has changed is nothing that stands in a file"},
    {"XDS-V015",
     "Envoy reads collections by lds_resources_locator alone, and takes entries by reference without a word"},
    {"XDS-V036", "it is about a change from one version of a listener to the next; a file is one version"},
    {"XDS-V062", "virtual hosts on demand have those names on delta streams alone; Envoy takes no files of them"},
    {"XDS-V133", "[#not-implemented-hide:] is a comment, and the API's descriptors have none"},
    {"XDS-V134", "whether those at the other end are to be trusted stands in no file"},
};

// Files that break a rule and files that keep it, where a single resource in YAML is not enough (examples.h). Each
// begins with a line "=== NAME"; @NAME stands for the key "@type" with the type of that name.
struct Files {
  std::string_view rule;
  std::string_view bad;
  std::string_view good;
};

constexpr std::string_view kCluster = "=== cds.yaml\nresources: [{@Cluster, name: a}]\n";

const Files kFiles[] = {
    {"XDS-V001", "=== a.yaml\n- {name: a}\n", kCluster},
    {"XDS-V002", "=== a.pb\n\x0a\x01", "=== a.pb\n"},
    {"XDS-V003", "=== cds.json\nresources: [{@Cluster, name: a}]\n", kCluster},
    {"XDS-V004", R"(=== cds.yaml
resources: [{@Cluster, name: a, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: /eds.yaml}}}}]
=== eds.yaml
resources: [{@ClusterLoadAssignment, cluster_name: a}, {@ClusterLoadAssignment, cluster_name: b}]
)",
     "=== eds.yaml\nresources: [{@ClusterLoadAssignment, cluster_name: a}, {@ClusterLoadAssignment, cluster_name: "
     "b}]\n"},
    {"XDS-V005", R"(=== cds.yaml
resources: [{@Cluster, name: a, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: /eds.yaml}}}}]
=== eds.yaml
resources: [{@ClusterLoadAssignment, cluster_name: b}]
)",
     R"(=== cds.yaml
resources: [{@Cluster, name: a, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: /eds.yaml}}}}]
=== eds.yaml
resources: [{@ClusterLoadAssignment, cluster_name: a}]
)"},
    {"XDS-V006", "=== cds.yaml\nresources: [{@Cluster, name: a}, {@Listener, name: a}]\n", kCluster},
    {"XDS-V008", "=== cds.yaml\nresources: [{@Cluster, name: a, name: b}]\n", kCluster},
    {"XDS-V009", "=== cds.yaml\nresources: [{@Cluster, name: a, <<: {type: EDS}}]\n", kCluster},
    {"XDS-V010", "=== cds.yaml\nresources: [{@Cluster, name: a, per_connection_buffer_limit_bytes: 010}]\n",
     "=== cds.yaml\nresources: [{@Cluster, name: a, per_connection_buffer_limit_bytes: 8}]\n"},
    {"XDS-V011", "=== cds.yaml\nresources: [{@Cluster, name: a, type: STRICT_DSN}]\n",
     "=== cds.yaml\nresources: [{@Cluster, name: a, type: STRICT_DNS}]\n"},
    {"XDS-V014", "=== cds.yaml\nresources: []\n", kCluster},
    {"XDS-V024", R"(=== lds.yaml
resources:
- {@Listener, name: a, address: {socket_address: {address: 0.0.0.0, port_value: 80}}}
- {@Listener, name: b, address: {socket_address: {address: 0.0.0.0, port_value: 80}}}
)",
     R"(=== lds.yaml
resources:
- {@Listener, name: a, address: {socket_address: {address: 0.0.0.0, port_value: 80}}}
- {@Listener, name: b, address: {socket_address: {address: 0.0.0.0, port_value: 81}}}
)"},
    {"XDS-V040",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: r, typed_config: {@Router}}, "
     "{name: c, typed_config: {@Cors}}])]\n",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: c, typed_config: {@Cors}}, "
     "{name: r, typed_config: {@Router}}])]\n"},
    {"XDS-V041",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: r, typed_config: {@Cors}}, "
     "{name: r, typed_config: {@Router}}])]\n",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: c, typed_config: {@Cors}}, "
     "{name: r, typed_config: {@Router}}])]\n"},
    {"XDS-V042", "=== lds.yaml\nresources: [@manager(strip_any_host_port: true, strip_matching_host_port: true)]\n",
     "=== lds.yaml\nresources: [@manager(strip_any_host_port: true)]\n"},
    {"XDS-V043", "=== lds.yaml\nresources: [@manager(codec_type: HTTP3)]\n",
     "=== lds.yaml\nresources: [@manager(codec_type: HTTP2)]\n"},
    {"XDS-V051", R"(=== cds.yaml
resources: [{@Cluster, name: a}]
=== rds.yaml
resources: [{@RouteConfiguration, name: r, virtual_hosts: [{name: v, routes: [{route: {cluster: b}}]}]}]
)",
     R"(=== cds.yaml
resources: [{@Cluster, name: a}]
=== rds.yaml
resources: [{@RouteConfiguration, name: r, virtual_hosts: [{name: v, routes: [{route: {cluster: a}}]}]}]
)"},
    {"XDS-V057",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: c}], route_config: {typed_per_filter_config: "
     "{d: {@CorsPolicy}}})]\n",
     "=== lds.yaml\nresources: [@manager(http_filters: [{name: c}], route_config: {typed_per_filter_config: "
     "{c: {@CorsPolicy}}})]\n"},
    {"XDS-V061", R"(=== srds.yaml
resources:
- {@ScopedRouteConfiguration, name: a, key: {fragments: [{string_key: k}]}}
- {@ScopedRouteConfiguration, name: b, key: {fragments: [{string_key: k}]}}
)",
     R"(=== srds.yaml
resources:
- {@ScopedRouteConfiguration, name: a, key: {fragments: [{string_key: k}]}}
- {@ScopedRouteConfiguration, name: b, key: {fragments: [{string_key: l}]}}
)"},
    {"XDS-V078", "=== cds.yaml\nresources: [@protocols(auto_config: {})]\n",
     "=== cds.yaml\nresources: [@protocols(explicit_http_config: {http2_protocol_options: {}})]\n"},
    {"XDS-V079", "=== cds.yaml\nresources: [@protocols(http_filters: [{name: c, typed_config: {@Cors}}])]\n",
     "=== cds.yaml\nresources: [@protocols(http_filters: [{name: u, typed_config: {@UpstreamCodec}}])]\n"},
    {"XDS-V083", R"(=== envoy.yaml
static_resources: {clusters: []}
dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: xds}}]}}
)",
     R"(=== envoy.yaml
static_resources: {clusters: [{name: xds}]}
dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: [{envoy_grpc: {cluster_name: xds}}]}}
)"},
    {"XDS-V084", R"(=== cds.yaml
resources: [{@Cluster, name: a, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: gone.yaml}}}}]
)",
     R"(=== cds.yaml
resources: [{@Cluster, name: a, type: EDS, eds_cluster_config: {eds_config: {path_config_source: {path: eds.yaml}}}}]
)"},
    {"XDS-V100", "=== lds.yaml\nresources: [@server({})]\n",
     "=== lds.yaml\nresources: [@server({tls_certificates: [{certificate_chain: {filename: f}}]})]\n"},
    {"XDS-V101", "=== lds.yaml\nresources: [@server({validation_context: {match_subject_alt_names: [{exact: a}]}})]\n",
     "=== lds.yaml\nresources: [@server({validation_context: {trusted_ca: {filename: f}, match_subject_alt_names: "
     "[{exact: a}]}})]\n"},
    {"XDS-V102", R"(=== lds.yaml
resources: [@server({tls_certificate_sds_secret_configs: [{name: s, sds_config: {ads: {}}}]})]
=== sds.yaml
resources: [{@Secret, name: t}]
)",
     R"(=== lds.yaml
resources: [@server({tls_certificate_sds_secret_configs: [{name: t, sds_config: {ads: {}}}]})]
=== sds.yaml
resources: [{@Secret, name: t, tls_certificate: {}}]
)"},
    {"XDS-V103", R"(=== lds.yaml
resources: [@server({tls_certificate_sds_secret_configs: [{name: s, sds_config: {ads: {}}}]})]
=== sds.yaml
resources: [{@Secret, name: s, generic_secret: {}}]
)",
     R"(=== lds.yaml
resources: [@server({tls_certificate_sds_secret_configs: [{name: s, sds_config: {ads: {}}}]})]
=== sds.yaml
resources: [{@Secret, name: s, tls_certificate: {}}]
)"},
    {"XDS-V106",
     "=== cds.yaml\nresources: [{@Cluster, name: a, transport_socket: {name: t, typed_config: "
     "{@UpstreamTlsContext}}}]\n",
     kCluster},
    {"XDS-V111", "=== lds.yaml\nresources: [@manager(xff_num_trusted_hops: 1)]\n",
     "=== lds.yaml\nresources: [@manager(route_config: {})]\n"},
    {"XDS-V120", "=== cds.yaml\nresources: [{'@type': type.googleapis.com/own.Cluster, name: a}]\n", kCluster},
    {"XDS-V127",
     "=== cds.pb_text\nresources { type_url: \"type.googleapis.com/envoy.config.cluster.v3.Cluster\" "
     "value: \"\\n\\377\" }\n",
     "=== cds.pb_text\nresources { type_url: \"type.googleapis.com/envoy.config.cluster.v3.Cluster\" "
     "value: \"\\n\\001a\" }\n"},
    {"XDS-V128",
     "=== lds.yaml\nresources: [{@Listener, name: l, filter_chains: [{filters: [{name: f, typed_config: "
     "{@TypedStruct, type_url: x/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy, "
     "value: {clutser: a}}}]}]}]\n",
     "=== lds.yaml\nresources: [{@Listener, name: l, filter_chains: [{filters: [{name: f, typed_config: "
     "{@TypedStruct, type_url: x/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy, value: {cluster: a}}}]}]}]\n"},
};
[[maybe_unused]] const bool kFilesNoted = NoteRules(kFiles);

// What the names behind an @ stand for.
const std::vector<std::pair<std::string, std::string>> kForms = {
    {"@ClusterLoadAssignment", "envoy.config.endpoint.v3.ClusterLoadAssignment"},
    {"@Cluster", "envoy.config.cluster.v3.Cluster"},
    {"@CorsPolicy", "envoy.extensions.filters.http.cors.v3.CorsPolicy"},
    {"@Cors", "envoy.extensions.filters.http.cors.v3.Cors"},
    {"@DownstreamTlsContext", "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"},
    {"@HttpConnectionManager", "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"},
    {"@HttpProtocolOptions", "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"},
    {"@Listener", "envoy.config.listener.v3.Listener"},
    {"@RouteConfiguration", "envoy.config.route.v3.RouteConfiguration"},
    {"@Router", "envoy.extensions.filters.http.router.v3.Router"},
    {"@ScopedRouteConfiguration", "envoy.config.route.v3.ScopedRouteConfiguration"},
    {"@Secret", "envoy.extensions.transport_sockets.tls.v3.Secret"},
    {"@TypedStruct", "xds.type.v3.TypedStruct"},
    {"@UpstreamCodec", "envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec"},
    {"@UpstreamTlsContext", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"},
};

// Puts what "@manager(FIELDS)" and its like stand for in their place: a resource around the fields.
std::string Expand(std::string_view text) {
  std::string expanded = absl::StrReplaceAll(
      std::string(text),
      {{"@manager(",
        "{@Listener, name: l, filter_chains: [{filters: [{name: h, typed_config: {@HttpConnectionManager, "},
       {"@protocols(",
        "{@Cluster, name: a, typed_extension_protocol_options: "
        "{envoy.extensions.upstreams.http.v3.HttpProtocolOptions: {@HttpProtocolOptions, "},
       {"@server(",
        "{@Listener, name: l, filter_chains: [{transport_socket: {name: t, typed_config: "
        "{@DownstreamTlsContext, common_tls_context: "}});
  const std::string_view closing = text.find("@manager(") != text.npos     ? "}}]}]}]"
                                   : text.find("@protocols(") != text.npos ? "}}}]"
                                                                           : "}}}]}]";
  expanded = absl::StrReplaceAll(expanded, {{")]", std::string(closing)}});
  for (const auto& [name, type] : kForms) {
    const std::string member = fmt::format("'@type': type.googleapis.com/{}", type);
    for (const char end : {',', '}'}) {
      expanded = absl::StrReplaceAll(expanded, {{fmt::format("{}{}", name, end), fmt::format("{}{}", member, end)}});
    }
  }
  return expanded;
}

class CatalogueTest : public testing::Test {
 protected:
  std::vector<std::string_view> Found(std::string_view files) {
    SetOptions set;
    set.is_missing = [](std::string_view path, std::string_view) { return path == "gone.yaml"; };
    client::FileJudge judge(types_, {.bare_type = {}, .set = std::move(set)});
    const std::vector<std::string> texts = absl::StrSplit(Expand(files), "=== ", absl::SkipEmpty());
    for (const std::string& file : texts) {
      const std::size_t line = file.find('\n');
      judge.Add(file.substr(0, line), file.substr(line + 1));
    }
    std::vector<std::string_view> rules;
    for (const client::JudgedFile& file : judge.Judge()) {
      for (const finding::Finding& finding : file.findings) rules.push_back(finding.rule);
    }
    return rules;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
};

TEST_F(CatalogueTest, EachRuleOfFilesIsBrokenByTheBadOnesAndKeptByTheGoodOnes) {
  for (const Files& files : kFiles) {
    EXPECT_THAT(Found(files.bad), Contains(files.rule)) << Expand(files.bad);
    EXPECT_THAT(Found(files.good), Not(Contains(files.rule))) << Expand(files.good);
  }
}

TEST_F(CatalogueTest, EachRuleHasARowAndExamplesOrAReason) {
  for (const Ids& run : kCatalogue) {
    for (int number = run.first; number <= run.last; ++number) {
      const std::string id = fmt::format("XDS-V{:03}", number);
      const bool looked_for = !kNotLookedFor.contains(id);
      EXPECT_EQ(finding::FindRule(id) != nullptr, looked_for) << id;
      EXPECT_EQ(RulesWithExamples().contains(id), looked_for) << id;
    }
  }
}

}  // namespace
}  // namespace xdscope::rules
