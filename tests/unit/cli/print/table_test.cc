#include "cli/print/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/test_resources.h"

namespace xdscope::cli {
namespace {

using testing::ElementsAre;

class TableTest : public testing::Test {
 protected:
  format::Table Table(std::string_view type, const std::map<std::string, std::string>& texts) {
    world_.Add(type, texts);
    const std::string url = TestResources::UrlOf(type);
    return TableOf(url, world_.snapshot.types().at(url));
  }
  static std::vector<std::string> Titles(const format::Table& table) {
    std::vector<std::string> titles;
    for (const format::Column& column : table.columns) titles.push_back(column.title);
    return titles;
  }

  TestResources world_;
};

TEST_F(TableTest, AListenerShowsItsAddressAndItsChains) {
  const format::Table table = Table("lds", {{"http", R"(name: "http"
      address { socket_address { address: "0.0.0.0" port_value: 80 } } filter_chains {} filter_chains {})"},
                                            {"pipe", R"(name: "pipe" address { pipe { path: "/run/x" } })"}});
  EXPECT_THAT(Titles(table), ElementsAre("LDS", "ADDRESS", "FILTER CHAINS", "VERSION", "SIZE"));
  EXPECT_THAT(table.rows[0], ElementsAre("http", "0.0.0.0:80", "2", "7", testing::EndsWith(" B")));
  EXPECT_EQ(table.rows[1][1], "unix:/run/x");
  EXPECT_TRUE(table.columns[2].right);
}

TEST_F(TableTest, AClusterWithoutATypeHasTheDefault) {
  const format::Table table =
      Table("cds", {{"a", R"(name: "a")"}, {"b", R"(name: "b" type: EDS lb_policy: LEAST_REQUEST)"}});
  EXPECT_THAT(Titles(table), ElementsAre("CDS", "DISCOVERY", "LB POLICY", "VERSION", "SIZE"));
  EXPECT_EQ(table.rows[0][1], "STATIC");
  EXPECT_EQ(table.rows[1][1], "EDS");
  EXPECT_EQ(table.rows[1][2], "LEAST_REQUEST");
}

TEST_F(TableTest, EndpointsOfAllLocalitiesCount) {
  const format::Table table = Table(
      "eds",
      {{"a", R"(cluster_name: "a" endpoints { lb_endpoints {} lb_endpoints {} } endpoints { lb_endpoints {} })"}});
  EXPECT_EQ(table.rows[0][1], "3");
}

TEST_F(TableTest, AnUnknownTypeHasNameVersionAndSizeAlone) {
  const format::Table table = Table("google.protobuf.StringValue", {{"x", R"(value: "1")"}});
  EXPECT_THAT(Titles(table), ElementsAre("GOOGLE.PROTOBUF.STRINGVALUE", "VERSION", "SIZE"));
}

}  // namespace
}  // namespace xdscope::cli
