#include "lib/schema/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xdscope::schema {
namespace {

const std::vector<std::string> kNames = {
    "envoy.api.v2.Cluster",
    "envoy.config.cluster.v3.Cluster",
    "envoy.config.cluster.v3.ClusterCollection",
    "envoy.config.listener.v3.Listener",
};

TEST(EditDistance, CountsLettersPutInLeftOutAndChanged) {
  EXPECT_EQ(EditDistance("", "", 9), 0u);
  EXPECT_EQ(EditDistance("abc", "abc", 9), 0u);
  EXPECT_EQ(EditDistance("abc", "abxc", 9), 1u);
  EXPECT_EQ(EditDistance("abc", "ac", 9), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 9), 3u);
  EXPECT_EQ(EditDistance("", "abc", 9), 3u);
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(EditDistance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(EditDistance("a", "abcdefgh", 2), 3u);
}

TEST(NearestName, PrefersTheSameLastPartInAnotherPackage) {
  EXPECT_EQ(NearestName("envoy.cluster.v3.Listener", kNames), "envoy.config.listener.v3.Listener");
  EXPECT_EQ(NearestName("envoy.config.clusters.v3.Cluster", kNames), "envoy.config.cluster.v3.Cluster");
  EXPECT_EQ(NearestName("envoy.api.v1.Cluster", kNames), "envoy.api.v2.Cluster");
  EXPECT_EQ(NearestName("Listener", kNames), "envoy.config.listener.v3.Listener");
}

TEST(NearestName, FindsAMisspelledLastPart) {
  EXPECT_EQ(NearestName("envoy.config.cluster.v3.Clutser", kNames), "envoy.config.cluster.v3.Cluster");
  EXPECT_EQ(NearestName("envoy.config.cluster.v3.ClusterColection", kNames),
            "envoy.config.cluster.v3.ClusterCollection");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(NearestName("com.example.Widget", kNames), "");
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName("envoy.config.", kNames), "");
  EXPECT_EQ(NearestName("envoy.config.cluster.v3.Cluster", {}), "");
}

}  // namespace
}  // namespace xdscope::schema
