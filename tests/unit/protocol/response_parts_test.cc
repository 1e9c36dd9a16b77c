// Responses put together from parts are what protobuf would have written, but for the order of fields.
#include "lib/protocol/response_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envoy/service/discovery/v3/discovery.pb.h"

namespace xdscope::protocol {
namespace {

using ::testing::ElementsAre;
namespace discovery = envoy::service::discovery::v3;

TEST(ResponseParts, ASotwResponse) {
  const std::string bytes = EncodeSotwEntry("t/x", "one") + EncodeSotwEntry("t/x", "") + SotwEnvelope("7", "t/x", "n") +
                            EncodeSotwEntry("t/x", "two");
  discovery::DiscoveryResponse message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_EQ(message.version_info(), "7");
  EXPECT_EQ(message.type_url(), "t/x");
  EXPECT_EQ(message.nonce(), "n");
  ASSERT_EQ(message.resources_size(), 3);
  EXPECT_EQ(message.resources(0).type_url(), "t/x");
  EXPECT_EQ(message.resources(0).value(), "one");
  EXPECT_EQ(message.resources(1).value(), "");
  EXPECT_EQ(message.resources(2).value(), "two");
}

TEST(ResponseParts, ADeltaResponse) {
  const std::vector<std::string> aliases = {"x/1", "x/2"};
  const std::vector<std::string> removed = {"p", "q"};
  const std::string bytes = DeltaEnvelope("7", "t/x", "n", removed) +
                            EncodeDeltaEntry({"a", "v", aliases, "t/x", "payload"}) + EncodeUnresolved("x/none");
  discovery::DeltaDiscoveryResponse message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_EQ(message.system_version_info(), "7");
  EXPECT_EQ(message.type_url(), "t/x");
  EXPECT_EQ(message.nonce(), "n");
  EXPECT_THAT(message.removed_resources(), ElementsAre("p", "q"));
  ASSERT_EQ(message.resources_size(), 2);
  EXPECT_EQ(message.resources(0).name(), "a");
  EXPECT_EQ(message.resources(0).version(), "v");
  EXPECT_THAT(message.resources(0).aliases(), ElementsAre("x/1", "x/2"));
  EXPECT_EQ(message.resources(0).resource().type_url(), "t/x");
  EXPECT_EQ(message.resources(0).resource().value(), "payload");
  EXPECT_EQ(message.resources(1).name(), "x/none");
  EXPECT_THAT(message.resources(1).aliases(), ElementsAre("x/none"));
  EXPECT_FALSE(message.resources(1).has_resource());
}

}  // namespace
}  // namespace xdscope::protocol
