#include "cli/print/tree.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

class TreeTest : public testing::Test {
 protected:
  // One line for each node, indented by two blanks a level.
  std::string Tree() {
    resource::ReferenceFinder references(world_.types, {});
    std::string text;
    for (const format::TreeNode& root : TreeOf(world_.snapshot, references)) Append(root, 0, &text);
    return text;
  }
  static void Append(const format::TreeNode& node, std::size_t level, std::string* text) {
    *text += std::string(2 * level, ' ') + node.label + (node.note.empty() ? "" : " " + node.note) + "\n";
    for (const format::TreeNode& child : node.children) Append(child, level + 1, text);
  }
  static std::string EdsCluster(std::string_view name) {
    return "name: '" + std::string(name) + "' type: EDS eds_cluster_config { eds_config { ads {} } }";
  }

  TestResources world_;
};

TEST_F(TreeTest, WhatIsReferredToStandsBelowAndIsNoRoot) {
  world_.Add("cds", {{"a", EdsCluster("a")}});
  world_.Add("eds", {{"a", "cluster_name: 'a'"}, {"alone", "cluster_name: 'alone'"}});
  EXPECT_EQ(Tree(), "cds:a\n  eds:a\neds:alone\n");
}

TEST_F(TreeTest, WhatIsNotThereIsMarked) {
  world_.Add("cds", {{"a", EdsCluster("a")}});
  EXPECT_EQ(Tree(), "cds:a\n  eds:a (missing)\n");
}

TEST_F(TreeTest, SharedResourcesShowTheirReferencesOnce) {
  const std::string routes =
      R"(virtual_hosts { name: "v" domains: "*" routes { match { prefix: "/" } route { cluster: "a" } } })";
  world_.Add("rds", {{"one", "name: 'one' " + routes}, {"two", "name: 'two' " + routes}});
  world_.Add("cds", {{"a", EdsCluster("a")}});
  world_.Add("eds", {{"a", "cluster_name: 'a'"}});
  EXPECT_EQ(Tree(), "rds:one\n  cds:a\n    eds:a\nrds:two\n  cds:a (see above)\n");
}

}  // namespace
}  // namespace xdscope::cli
