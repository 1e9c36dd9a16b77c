#include "cli/commands/fetch/offline_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/fetch/offline_bootstrap.h"
#include "lib/base/fields.h"
#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class OfflinePlanTest : public testing::Test {
 protected:
  OfflinePlan Plan(const std::vector<std::pair<std::string, std::string>>& absent = {}) {
    OfflineRequest request{"/d", "yaml", {}, {}};
    for (const auto& [type, name] : absent) request.absent.emplace(TestResources::UrlOf(type), name);
    return PlanOffline(world_.snapshot, request, world_.types);
  }

  static std::vector<std::string> Paths(const OfflinePlan& plan) {
    std::vector<std::string> paths;
    for (const OfflineFile& file : plan.files) paths.push_back(file.path);
    return paths;
  }
  static const OfflineFile& FileOf(const OfflinePlan& plan, std::string_view path) {
    for (const OfflineFile& file : plan.files) {
      if (file.path == path) return file;
    }
    ADD_FAILURE() << path;
    return plan.files.front();
  }
  static std::vector<std::string> Names(const std::set<resource::Reference>& references) {
    std::vector<std::string> names;
    for (const resource::Reference& reference : references) names.push_back(reference.name);
    return names;
  }
  // The one resource of a file, as a message.
  wire::Message Resource(const OfflineFile& file) {
    EXPECT_EQ(file.entries.size(), 1U) << file.path;
    return *wire::Open(file.entries.front().type_url, file.entries.front().payload, world_.types);
  }
  bool Says(const OfflineFile& file, const std::string& text) {
    const std::string want = world_.Bytes(file.type_url, text);
    const wire::Message got = Resource(file);
    const auto wanted = wire::Decode(want, got.type());
    return wanted.ok() && wire::Equal(got.view(), wanted->view(), world_.types);
  }

  TestResources world_;
};

constexpr const char* kEdsCluster = "eds_cluster_config { service_name: 's/1' eds_config { ads {} } }";

TEST_F(OfflinePlanTest, WhatIsReferredToComesBeforeWhatRefers) {
  world_.Add("lds", {{"l", "name: 'l'"}});
  world_.Add("cds", {{"c", kEdsCluster}, {"d", "name: 'd'"}});
  world_.Add("srds", {{"x", "name: 'x'"}});
  world_.Add("eds", {{"s/1", "cluster_name: 's/1'"}, {"t", "cluster_name: 't'"}});
  world_.Add("sds", {{"cert", "name: 'cert'"}});
  const OfflinePlan plan = Plan();
  EXPECT_THAT(Paths(plan),
              ElementsAre("eds/s%2F1.yaml", "eds/t.yaml", "sds/cert.yaml", "srds.yaml", "cds.yaml", "lds.yaml"));
  EXPECT_EQ(FileOf(plan, "cds.yaml").entries.size(), 2U);
  EXPECT_EQ(FileOf(plan, "cds.yaml").version, "7");
  EXPECT_THAT(plan.unfetched, IsEmpty());
  EXPECT_THAT(FileOf(plan, "cds.yaml").entries[0].payload, HasSubstr("/d/eds/s%2F1.yaml"));
}

TEST_F(OfflinePlanTest, AnAbsentResourceHasAnEmptyFileAndAnUnfetchedOneNone) {
  world_.Add("cds", {{"c", kEdsCluster}});
  const OfflinePlan fetched = Plan({{"eds", "s/1"}});
  EXPECT_THAT(Paths(fetched), ElementsAre("eds/s%2F1.yaml", "cds.yaml"));
  EXPECT_THAT(FileOf(fetched, "eds/s%2F1.yaml").entries, IsEmpty());
  EXPECT_THAT(fetched.unfetched, IsEmpty());
  const OfflinePlan alone = Plan();
  EXPECT_THAT(Paths(alone), ElementsAre("cds.yaml"));
  EXPECT_THAT(Names(alone.unfetched), ElementsAre("s/1"));
  EXPECT_TRUE(Says(FileOf(alone, "cds.yaml"), kEdsCluster));
}

TEST_F(OfflinePlanTest, AnAbsentListenerMakesNoFile) {
  world_.Add("cds", {{"c", "name: 'c'"}});
  EXPECT_THAT(Paths(Plan({{"lds", "gone"}})), ElementsAre("cds.yaml"));
}

TEST_F(OfflinePlanTest, SourcesElsewhereAreNamed) {
  world_.Add("cds", {{"c", "eds_cluster_config { eds_config { path_config_source { path: '/e' } } }"}});
  const OfflinePlan plan = Plan();
  ASSERT_EQ(plan.elsewhere.size(), 1U);
  EXPECT_EQ(plan.elsewhere.begin()->elsewhere, "file /e");
}

TEST_F(OfflinePlanTest, TheRoutesOfScopesStandInTheScopes) {
  world_.Add("srds",
             {{"a", "name: 'a' route_configuration_name: 'ra'"}, {"b", "name: 'b' route_configuration_name: 'gone'"}});
  world_.Add("rds", {{"ra", "name: 'ra' virtual_hosts { name: 'v' }"}, {"other", "name: 'other'"}});
  const OfflinePlan plan = Plan({{"rds", "gone"}});
  EXPECT_THAT(Paths(plan), ElementsAre("rds/other.yaml", "srds.yaml"));
  OfflineFile scopes = FileOf(plan, "srds.yaml");
  ASSERT_EQ(scopes.entries.size(), 2U);
  OfflineFile first = scopes;
  first.entries.resize(1);
  EXPECT_TRUE(Says(first, "name: 'a' route_configuration { name: 'ra' virtual_hosts { name: 'v' } }"));
  scopes.entries.erase(scopes.entries.begin());
  EXPECT_TRUE(Says(scopes, "name: 'b' route_configuration { name: 'gone' }"));
  EXPECT_THAT(plan.not_by_file, ElementsAre("2 route configurations of scopes (now in srds.yaml)"));
}

TEST_F(OfflinePlanTest, ARouteConfigurationThatIsReferredToOtherwiseKeepsItsFile) {
  world_.Add("srds", {{"a", "name: 'a' route_configuration_name: 'ra'"}});
  world_.Add("rds", {{"ra", "name: 'ra'"}});
  world_.Add("lds", {{"l", R"(filter_chains { filters { name: "hcm" typed_config {
      [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
        rds { route_config_name: "ra" config_source { ads {} } } } } } })"}});
  EXPECT_THAT(Paths(Plan()), ElementsAre("rds/ra.yaml", "srds.yaml", "lds.yaml"));
}

TEST_F(OfflinePlanTest, AScopeWhoseRoutesWereNotFetchedStays) {
  world_.Add("srds", {{"a", "name: 'a' route_configuration_name: 'ra'"}});
  const OfflinePlan plan = Plan();
  EXPECT_TRUE(Says(FileOf(plan, "srds.yaml"), "name: 'a' route_configuration_name: 'ra'"));
  EXPECT_THAT(Names(plan.unfetched), ElementsAre("ra"));
}

TEST_F(OfflinePlanTest, VirtualHostsStandInTheirRouteConfiguration) {
  world_.Add("rds", {{"r", "name: 'r' vhds { config_source { ads {} } }"},
                     {"r2", "name: 'r2' vhds { config_source { ads {} } }"},
                     {"file", "name: 'file' vhds { config_source { path: '/v' } }"}});
  world_.Add("vhds", {{"r/a.com", "name: 'a.com'"}, {"r/b.com", "name: 'b.com'"}});
  const OfflinePlan plan = Plan();
  EXPECT_THAT(Paths(plan), ElementsAre("rds/file.yaml", "rds/r.yaml", "rds/r2.yaml"));
  EXPECT_TRUE(
      Says(FileOf(plan, "rds/r.yaml"), "name: 'r' virtual_hosts { name: 'a.com' } virtual_hosts { name: 'b.com' }"));
  EXPECT_TRUE(Says(FileOf(plan, "rds/r2.yaml"), "name: 'r2'"));
  EXPECT_TRUE(Says(FileOf(plan, "rds/file.yaml"), "name: 'file' vhds { config_source { path: '/v' } }"));
  EXPECT_THAT(plan.not_by_file, ElementsAre("vhds of rds:r (now in it)", "vhds of rds:r2 (left out)"));
}

TEST_F(OfflinePlanTest, TypesOfTheirOwnHaveAFolderOfTheirOwn) {
  world_.Add("envoy.extensions.filters.network.thrift_proxy.v3.RouteConfiguration", {{"r", "name: 'r'"}});
  world_.Add("envoy.extensions.filters.network.generic_proxy.v3.RouteConfiguration", {{"r", "name: 'r'"}});
  EXPECT_THAT(Paths(Plan()), ElementsAre("envoy.extensions.filters.network.generic_proxy.v3.RouteConfiguration/r.yaml",
                                         "envoy.extensions.filters.network.thrift_proxy.v3.RouteConfiguration/r.yaml"));
}

TEST_F(OfflinePlanTest, FilesKnowWhetherSomethingInThemIsSecret) {
  world_.Add("sds", {{"ca", "name: 'ca' validation_context { trusted_ca { filename: '/ca' } }"},
                     {"key", "name: 'key' tls_certificate { private_key { inline_string: 'k' } }"}});
  world_.Add("lds", {{"l", R"(filter_chains { transport_socket { name: "tls" typed_config {
      [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext] { common_tls_context {
        tls_certificates { private_key { inline_string: "k" } } } } } } })"}});
  world_.Add("cds", {{"c", kEdsCluster}});
  const OfflinePlan plan = Plan();
  EXPECT_TRUE(FileOf(plan, "sds/key.yaml").secret);
  EXPECT_FALSE(FileOf(plan, "sds/ca.yaml").secret);
  EXPECT_TRUE(FileOf(plan, "lds.yaml").secret);
  EXPECT_FALSE(FileOf(plan, "cds.yaml").secret);
}

class OfflineBootstrapTest : public OfflinePlanTest {
 protected:
  BootstrapText Make(const std::string& node, bool show_secrets = false) {
    return MakeBootstrap(Plan(), "/d", world_.Bytes("envoy.config.core.v3.Node", node), show_secrets, world_.types);
  }
};

TEST_F(OfflineBootstrapTest, HasTheNodeAndThePathsOfWhatCame) {
  world_.Add("cds", {{"c", "name: 'c'"}});
  world_.Add("rtds", {{"r/1", "name: 'r/1'"}});
  const BootstrapText text = Make("id: 'edge' cluster: 'f' user_agent_name: 'xdscope' client_features: 'x'");
  EXPECT_EQ(text.yaml, R"(node:
  id: edge
  cluster: f
admin:
  address:
    socket_address:
      address: 127.0.0.1
      port_value: 9901
dynamic_resources:
  cds_config:
    path_config_source:
      path: /d/cds.yaml
    resource_api_version: V3
layered_runtime:
  layers:
  - name: r/1
    rtds_layer:
      name: r/1
      rtds_config:
        path_config_source:
          path: /d/rtds/r%2F1.yaml
        resource_api_version: V3
)");
  EXPECT_FALSE(text.secret);
}

TEST_F(OfflineBootstrapTest, ANodeWithoutAClusterGetsOneSinceEnvoyTakesNone) {
  world_.Add("cds", {});
  EXPECT_THAT(Make("id: 'edge'").yaml, HasSubstr("id: edge\n  cluster: xdscope\n"));
}

TEST_F(OfflineBootstrapTest, TheNodesSecretsAreRedactedUnlessAskedFor) {
  world_.Add("cds", {});
  const std::string node = "id: 'n' metadata { fields { key: 'api_key' value { string_value: 'HIDE' } } }";
  EXPECT_TRUE(Make(node).secret);
  EXPECT_THAT(Make(node).yaml, Not(HasSubstr("HIDE")));
  EXPECT_THAT(Make(node, true).yaml, HasSubstr("HIDE"));
}

}  // namespace
}  // namespace xdscope::cli
