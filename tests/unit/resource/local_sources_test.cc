#include "lib/resource/local_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/fields.h"
#include "lib/types/known_types.h"
#include "tests/fake/messages.h"
#include "tests/fake/text_messages.h"

namespace xdscope::resource {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kCluster = "envoy.config.cluster.v3.Cluster";
constexpr std::string_view kListener = "envoy.config.listener.v3.Listener";
constexpr std::string_view kRoutes = "envoy.config.route.v3.RouteConfiguration";

class LocalSourcesTest : public testing::Test {
 protected:
  std::string Bytes(std::string_view type, const std::string& text) { return texts_.Bytes(type, text); }

  static std::string Word(const Reference& reference) {
    const types::KnownType* known = types::FindByUrl(reference.type_url);
    return (known != nullptr ? std::string(known->short_name) : reference.type_url) + ":" + reference.name;
  }

  // Every reference has the file "/SHORT/NAME", but for names with a "no" in front.
  LocalResource RewriteBytes(std::string_view type, const std::string& bytes) {
    const auto decoded = wire::Decode(bytes, *types_.Find(type));
    EXPECT_TRUE(decoded.ok());
    LocalSources sources(types_, {{"xds"}, {"here:1"}}, [](const Reference& to) -> std::optional<std::string> {
      if (to.name.starts_with("no")) return std::nullopt;
      return "/" + Word(to);
    });
    return sources.Rewrite(decoded->view(), "self");
  }

  // What a resource becomes has to equal `want`; what stays is returned, as words.
  std::vector<std::string> Becomes(std::string_view type, const std::string& text, const std::string& want) {
    const std::string before = Bytes(type, text);
    const std::string wanted = Bytes(type, want);
    const LocalResource after = RewriteBytes(type, before);
    EXPECT_EQ(after.bytes.has_value(), text != want) << text;
    const std::string bytes = after.bytes.value_or(before);
    EXPECT_TRUE(Same(type, bytes, wanted)) << want;
    return Left(after);
  }
  bool Same(std::string_view type, const std::string& a, const std::string& b) {
    const auto left = wire::Decode(a, *types_.Find(type));
    const auto right = wire::Decode(b, *types_.Find(type));
    return left.ok() && right.ok() && wire::Equal(left->view(), right->view(), types_);
  }
  std::vector<std::string> Stays(std::string_view type, const std::string& text) { return Becomes(type, text, text); }

  static std::vector<std::string> Left(const LocalResource& after) {
    std::vector<std::string> left(after.unknown.begin(), after.unknown.end());
    for (const Reference& reference : after.left) {
      left.push_back(Word(reference) + (reference.elsewhere.empty() ? "" : " (" + reference.elsewhere + ")"));
    }
    return left;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::TextMessages texts_{schema_};
};

std::string File(const std::string& path) {
  return "{ path_config_source { path: '" + path + "' } resource_api_version: V3 }";
}

TEST_F(LocalSourcesTest, EverySourceOfThisServerBecomesAFile) {
  const std::string want = "name: 'c' eds_cluster_config { service_name: 's' eds_config " + File("/eds:s") + " }";
  for (const std::string& source :
       {std::string("ads {}"), std::string("self {}"), std::string("ads {} resource_api_version: V2"),
        std::string("api_config_source { api_type: GRPC grpc_services { envoy_grpc { cluster_name: 'xds' } } }"),
        std::string("api_config_source { api_type: DELTA_GRPC grpc_services { google_grpc { "
                    "target_uri: 'here:1' stat_prefix: 'x' } } }")}) {
    const std::string text = "name: 'c' eds_cluster_config { service_name: 's' eds_config { " + source + " } }";
    EXPECT_THAT(Becomes(kCluster, text, want), IsEmpty()) << source;
  }
}

TEST_F(LocalSourcesTest, AnUnnamedReferenceMeansTheResourceItself) {
  Becomes(kCluster, "eds_cluster_config { eds_config { ads {} } }",
          "eds_cluster_config { eds_config " + File("/eds:self") + " }");
}

TEST_F(LocalSourcesTest, WhatElseASourceSaysStays) {
  Becomes(kCluster, "eds_cluster_config { eds_config { ads {} initial_fetch_timeout { seconds: 3 } } }",
          "eds_cluster_config { eds_config { path_config_source { path: '/eds:self' } resource_api_version: V3 "
          "initial_fetch_timeout { seconds: 3 } } }");
}

TEST_F(LocalSourcesTest, SourcesElsewhereAndThoseWithoutAFileStay) {
  EXPECT_THAT(Stays(kCluster, "eds_cluster_config { eds_config { path: '/e.yaml' } }"),
              ElementsAre("eds:self (file /e.yaml)"));
  EXPECT_THAT(Stays(kCluster,
                    "eds_cluster_config { eds_config { api_config_source { api_type: GRPC "
                    "grpc_services { envoy_grpc { cluster_name: 'other' } } } } }"),
              ElementsAre("eds:self (cluster other)"));
  EXPECT_THAT(Stays(kCluster, "eds_cluster_config { service_name: 'none' eds_config { ads {} } }"),
              ElementsAre("eds:none"));
}

constexpr std::string_view kDeep = R"(
  name: "l"
  filter_chains {
    filters { name: "a" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
        stat_prefix: "one"
        rds { route_config_name: "r" config_source $rds }
        http_filters { name: "lua" config_discovery { config_source $lua type_urls: "x" } }
        http_filters { name: "late" config_discovery { config_source $late type_urls: "y" } } } } }
    filters { name: "b" config_discovery { config_source $b type_urls: "z" } }
    transport_socket { name: "starttls" typed_config {
      [type.googleapis.com/envoy.extensions.transport_sockets.starttls.v3.StartTlsConfig] {
        tls_socket_config { common_tls_context {
          tls_certificate_sds_secret_configs { name: "c1" sds_config $c1 }
          tls_certificate_sds_secret_configs { name: "other" sds_config { path_config_source { path: "/o" } } }
          tls_certificate_sds_secret_configs { name: "c2" sds_config $c2 }
          tls_certificate_sds_secret_configs { name: "static" } } } } } } }
  filter_chains { filters { name: "c" typed_config {
    [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
      rds { route_config_name: "r" config_source $rds } } } } })";

std::string Filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    for (std::size_t at = 0; (at = text.find("$" + key + " ", at)) != text.npos;)
      text.replace(at, key.size() + 1, value);
  }
  return text;
}

TEST_F(LocalSourcesTest, SourcesAreFoundInNestedAnysAndInEveryElementOfAList) {
  std::map<std::string, std::string> before;
  std::map<std::string, std::string> after;
  for (const char* reference : {"rds:r", "ecds:lua", "ecds:late", "ecds:b", "sds:c1", "sds:c2"}) {
    const std::string word = reference;
    const std::string name = word == "rds:r" ? "rds" : word.substr(word.find(':') + 1);
    before[name] = "{ ads {} }";
    after[name] = File("/" + word);
  }
  EXPECT_THAT(Becomes(kListener, Filled(std::string(kDeep), before), Filled(std::string(kDeep), after)),
              ElementsAre("sds:other (file /o)"));
}

TEST_F(LocalSourcesTest, SourcesInMapsAreFound) {
  const std::string options = R"(typed_extension_protocol_options { key: "k" value {
    [type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions] {
      http_filters { name: "f" config_discovery { config_source $f type_urls: "x" } } } } })";
  EXPECT_THAT(Becomes(kCluster, Filled(options, {{"f", "{ ads {} }"}}), Filled(options, {{"f", File("/ecds:f")}})),
              IsEmpty());
}

TEST_F(LocalSourcesTest, AnAnyInAnAnyIsOpened) {
  const std::string any = R"(cluster_type { name: "x" typed_config { [type.googleapis.com/google.protobuf.Any] {
    [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig] {
      name: "s" sds_config $s } } } })";
  Becomes(kCluster, Filled(any, {{"s", "{ ads {} }"}}), Filled(any, {{"s", File("/sds:s")}}));
}

TEST_F(LocalSourcesTest, AnAnyThatCannotBeOpenedKeepsItsBytes) {
  Stays(kCluster,
        R"(cluster_type { name: "x" typed_config { type_url: "type.googleapis.com/no.Such" value: "\x0f" } })");
}

TEST_F(LocalSourcesTest, ATypedStructStaysAndIsSaid) {
  EXPECT_THAT(Stays(kListener, R"(filter_chains { transport_socket { name: "tls" typed_config {
      [type.googleapis.com/xds.type.v3.TypedStruct] {
        type_url: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig"
        value { fields { key: "name" value { string_value: "s" } }
                fields { key: "sds_config" value { struct_value { fields { key: "ads" value { struct_value {} } } } } } } } } } })"),
              ElementsAre("sds:s"));
}

TEST_F(LocalSourcesTest, ASourceThatNoRowKnowsStaysAndIsSaid) {
  EXPECT_THAT(Stays(kListener, R"(filter_chains { filters { name: "x" typed_config {
      [type.googleapis.com/envoy.extensions.filters.http.on_demand.v3.OnDemand] {
        odcds { source { ads {} } } } } } })"),
              ElementsAre("envoy.extensions.filters.http.on_demand.v3.OnDemandCds.source"));
}

TEST_F(LocalSourcesTest, WhereTheNamesOfScopesComeFromIsASourceOfAllRoutes) {
  const std::string scoped = R"(filter_chains { filters { name: "hcm" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
        scoped_routes { name: "s" rds_config_source $all scoped_rds { scoped_rds_config_source $scopes } } } } } })";
  Becomes(kListener, Filled(scoped, {{"all", "{ ads {} }"}, {"scopes", "{ ads {} }"}}),
          Filled(scoped, {{"all", File("/rds:")}, {"scopes", File("/srds:")}}));
}

TEST_F(LocalSourcesTest, EveryByteAroundASourceIsKept) {
  const std::string unknown = fake::Field(9999, "newer");
  const std::string front = unknown + Bytes(kCluster, "lb_policy: RANDOM alt_stat_name: 'before'");
  const std::string back = Bytes(kCluster, "name: 'late' lb_policy: MAGLEV") + unknown;
  const std::string source = Bytes(kCluster, "eds_cluster_config { eds_config { ads {} } }");
  const LocalResource after = RewriteBytes(kCluster, front + source + back);
  ASSERT_TRUE(after.bytes.has_value());
  EXPECT_TRUE(after.bytes->starts_with(front));
  EXPECT_TRUE(after.bytes->ends_with(back));
  const std::string_view middle = std::string_view(*after.bytes).substr(front.size());
  base::FieldReader reader(middle.substr(0, middle.size() - back.size()));
  EXPECT_TRUE(reader.Next());
  EXPECT_EQ(reader.number(), 3U);  // eds_cluster_config, and nothing else
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(RewriteBytes(kCluster, front + back).bytes.has_value());
}

TEST_F(LocalSourcesTest, ASourceThatWasSplitOnTheWireIsOneSource) {
  const std::string once = Bytes(kCluster, "eds_cluster_config { service_name: 's' }");
  const std::string twice = Bytes(kCluster, "eds_cluster_config { eds_config { ads {} } }");
  const LocalResource after = RewriteBytes(kCluster, once + twice);
  ASSERT_TRUE(after.bytes.has_value());
  const std::string want =
      Bytes(kCluster, "eds_cluster_config { service_name: 's' eds_config " + File("/eds:s") + " }");
  EXPECT_TRUE(Same(kCluster, *after.bytes, want));
}

TEST_F(LocalSourcesTest, SourcesOfV2Stay) {
  EXPECT_THAT(Stays("envoy.api.v2.Cluster", "eds_cluster_config { eds_config { ads {} } }"), ElementsAre("eds:self"));
}

TEST_F(LocalSourcesTest, WhatStoodBehindASourceCanStandInPlace) {
  const std::string routes = Bytes(kRoutes,
                                   "name: 'r' virtual_hosts { name: 'a' } vhds { config_source { ads {} } } "
                                   "most_specific_header_mutations_wins: true");
  const std::string b = Bytes("envoy.config.route.v3.VirtualHost", "name: 'b' domains: 'b.com'");
  const wire::Message message = *wire::Decode(routes, *types_.Find(kRoutes));
  const std::string got = WithInPlace(message.view(), "vhds", "virtual_hosts", {b});
  const std::string want = Bytes(kRoutes,
                                 "name: 'r' virtual_hosts { name: 'a' } virtual_hosts { name: 'b' domains: 'b.com' } "
                                 "most_specific_header_mutations_wins: true");
  EXPECT_TRUE(Same(kRoutes, got, want));
  EXPECT_EQ(WithInPlace(message.view(), "no_such", "virtual_hosts", {b}), routes);
}

}  // namespace
}  // namespace xdscope::resource
