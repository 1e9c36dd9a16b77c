#include "lib/server/methods.h"

#include <gtest/gtest.h>

namespace xdscope::server {
namespace {

using types::Api;
using types::Variant;

TEST(MethodsTest, EveryMethodOfEveryTypeIsFound) {
  int count = 0;
  for (const types::KnownType& type : types::KnownTypes()) {
    for (const Api api : {Api::kV3, Api::kV2}) {
      for (const Variant variant : {Variant::kSotw, Variant::kDelta, Variant::kUnary, Variant::kRest}) {
        const std::string path = type.names(api).exists() ? types::Method(type, variant, api) : std::string();
        if (path.empty()) continue;
        const auto method = FindMethod(path);
        ASSERT_TRUE(method.has_value()) << path;
        EXPECT_EQ(method->type, &type) << path;
        EXPECT_EQ(method->variant, variant) << path;
        EXPECT_EQ(method->api, api) << path;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 40);
}

TEST(MethodsTest, TheAggregatedMethodsHaveNoType) {
  for (const Api api : {Api::kV3, Api::kV2}) {
    for (const Variant variant : {Variant::kAds, Variant::kDeltaAds}) {
      const auto method = FindMethod(types::AdsMethod(variant, api));
      ASSERT_TRUE(method.has_value());
      EXPECT_EQ(method->type, nullptr);
      EXPECT_EQ(method->variant, variant);
    }
  }
}

TEST(MethodsTest, OthersAreNot) {
  for (const char* path :
       {"", "/", "/grpc.health.v1.Health/Check", "/envoy.service.cluster.v3.ClusterDiscoveryService/NoSuch",
        "/envoy.service.status.v3.ClientStatusDiscoveryService/StreamClientStatus"}) {
    EXPECT_FALSE(FindMethod(path).has_value()) << path;
  }
}

}  // namespace
}  // namespace xdscope::server
