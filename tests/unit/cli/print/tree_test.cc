#include "cli/print/tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

class TreeTest : public testing::Test {
 protected:
  // One line for each node, indented by two blanks a level.
  std::string Drawn() {
    resource::ReferenceFinder references(world_.types, {});
    std::string text;
    const Tree tree = TreeOf(world_.snapshot, references, was_asked_);
    for (const format::TreeNode& root : tree.roots) Append(root, 0, &text);
    missing_ = tree.missing;
    return text;
  }
  static void Append(const format::TreeNode& node, std::size_t level, std::string* text) {
    *text += std::string(2 * level, ' ') + node.label + (node.note.empty() ? "" : " " + node.note) + "\n";
    for (const format::TreeNode& child : node.children) Append(child, level + 1, text);
  }
  static std::string EdsCluster(std::string_view name, std::string_view service = "") {
    return fmt::format("name: '{}' type: EDS eds_cluster_config {{ eds_config {{ ads {{}} }} service_name: '{}' }}",
                       name, service);
  }

  TestResources world_;
  WasAsked was_asked_ = [](std::string_view, std::string_view) { return true; };
  std::size_t missing_ = 0;  // in the tree that was drawn last
};

TEST_F(TreeTest, WhatIsReferredToStandsBelowAndIsNoRoot) {
  world_.Add("cds", {{"a", EdsCluster("a")}});
  world_.Add("eds", {{"a", "cluster_name: 'a'"}, {"alone", "cluster_name: 'alone'"}});
  EXPECT_EQ(Drawn(), "cds:a\n  eds:a\neds:alone\n");
}

TEST_F(TreeTest, WhatIsNotThereIsMarked) {
  world_.Add("cds", {{"a", EdsCluster("a")}});
  EXPECT_EQ(Drawn(), "cds:a\n  eds:a (missing)\n");
}

TEST_F(TreeTest, WhatIsMissingIsCountedOnce) {
  world_.Add("cds", {{"a", EdsCluster("a", "e")}, {"b", EdsCluster("b", "e")}, {"c", EdsCluster("c", "f")}});
  Drawn();
  EXPECT_EQ(missing_, 2);
}

TEST_F(TreeTest, WhatNobodyAskedForIsNotMissing) {
  world_.Add("cds", {{"a", EdsCluster("a")}, {"b", EdsCluster("b")}});
  was_asked_ = [](std::string_view, std::string_view name) { return name == "b"; };
  EXPECT_EQ(Drawn(), "cds:a\n  eds:a (not fetched)\ncds:b\n  eds:b (missing)\n");
  EXPECT_EQ(missing_, 1);
}

TEST_F(TreeTest, AGlobLeadsToItsMembers) {
  const std::string glob = "xdstp://x/envoy.config.endpoint.v3.LbEndpoint/group/*";
  world_.Add("eds", {{"e",
                      "cluster_name: 'e' endpoints { leds_cluster_locality_config { leds_config { ads {} } "
                      "leds_collection_name: '" +
                          glob + "' } }"}});
  EXPECT_EQ(Drawn(), "eds:e\n  leds:" + glob + " (missing)\n");
  world_.Add("leds", {{"xdstp://x/envoy.config.endpoint.v3.LbEndpoint/group/one", ""}});
  EXPECT_EQ(Drawn(), "eds:e\n  leds:xdstp://x/envoy.config.endpoint.v3.LbEndpoint/group/one\n");
  EXPECT_EQ(missing_, 0);
}

TEST_F(TreeTest, SharedResourcesShowTheirReferencesOnce) {
  const std::string routes =
      R"(virtual_hosts { name: "v" domains: "*" routes { match { prefix: "/" } route { cluster: "a" } } })";
  world_.Add("rds", {{"one", "name: 'one' " + routes}, {"two", "name: 'two' " + routes}});
  world_.Add("cds", {{"a", EdsCluster("a")}});
  world_.Add("eds", {{"a", "cluster_name: 'a'"}});
  EXPECT_EQ(Drawn(), "rds:one\n  cds:a\n    eds:a\nrds:two\n  cds:a (see above)\n");
}

std::string Aggregate(std::string_view name, std::string_view below) {
  return "name: '" + std::string(name) +
         "' cluster_type { name: 'envoy.clusters.aggregate' typed_config {"
         " [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] { clusters: '" +
         std::string(below) + "' } } }";
}

// More levels than the stack has room for.
TEST_F(TreeTest, AChainEndsAtAHundredLevels) {
  std::map<std::string, std::string> chain;
  for (int i = 0; i < 20'000; ++i) {
    chain[fmt::format("c{:05}", i)] = Aggregate(fmt::format("c{:05}", i), fmt::format("c{:05}", i + 1));
  }
  world_.Add("cds", chain);
  const std::string tree = Drawn();
  EXPECT_EQ(std::count(tree.begin(), tree.end(), '\n'), 100);
  EXPECT_THAT(tree, testing::EndsWith("cds:c00099 …\n"));
}

TEST_F(TreeTest, WhatWasPassedOverIsShownWhereItIsNotDeep) {
  std::map<std::string, std::string> chain;
  for (int i = 0; i < 150; ++i) {
    chain[fmt::format("c{:03}", i)] = Aggregate(fmt::format("c{:03}", i), fmt::format("c{:03}", i + 1));
  }
  chain["d"] = Aggregate("d", "c148");
  world_.Add("cds", chain);
  EXPECT_THAT(Drawn(), testing::EndsWith("cds:d\n  cds:c148\n    cds:c149\n      cds:c150 (missing)\n"));
}

TEST_F(TreeTest, AllOfATypeIsShownOnce) {
  const std::string listener =
      "filter_chains { filters { name: 'h' typed_config {"
      " [type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {"
      " scoped_routes { name: 's' scoped_rds { scoped_rds_config_source { ads {} } } } } } } }";
  world_.Add("lds", {{"one", "name: 'one' " + listener}, {"two", "name: 'two' " + listener}});
  world_.Add("srds", {{"s", "name: 's'"}});
  EXPECT_EQ(Drawn(), "lds:one\n  srds:s\nlds:two\n  srds (see above)\n");
}

}  // namespace
}  // namespace xdscope::cli
