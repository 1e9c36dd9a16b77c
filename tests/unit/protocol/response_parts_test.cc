// Responses put together from parts are what protobuf would have written, but for the order of fields.
#include "lib/protocol/response_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/oracle.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;

TEST(ResponseParts, ASotwResponse) {
  const std::string bytes = EncodeSotwEntry("t/x", "one") + EncodeSotwEntry("t/x", "") + SotwEnvelope("7", "t/x", "n") +
                            EncodeSotwEntry("t/x", "two");
  const std::unique_ptr<Message> owner = Parsed(kSotwResponse, bytes);
  const Message& message = *owner;
  EXPECT_EQ(Text(message, "version_info"), "7");
  EXPECT_EQ(Text(message, "type_url"), "t/x");
  EXPECT_EQ(Text(message, "nonce"), "n");
  ASSERT_EQ(Count(message, "resources"), 3U);
  EXPECT_EQ(Text(Sub(message, "resources", 0), "type_url"), "t/x");
  EXPECT_EQ(Text(Sub(message, "resources", 0), "value"), "one");
  EXPECT_EQ(Text(Sub(message, "resources", 1), "value"), "");
  EXPECT_EQ(Text(Sub(message, "resources", 2), "value"), "two");
}

TEST(ResponseParts, ADeltaResponse) {
  const std::vector<std::string> aliases = {"x/1", "x/2"};
  const std::vector<std::string> removed = {"p", "q"};
  const std::string bytes = DeltaEnvelope("7", "t/x", "n", removed) +
                            EncodeDeltaEntry({"a", "v", aliases, "t/x", "payload"}) + EncodeUnresolved("x/none");
  const std::unique_ptr<Message> owner = Parsed(kDeltaResponse, bytes);
  const Message& message = *owner;
  EXPECT_EQ(Text(message, "system_version_info"), "7");
  EXPECT_EQ(Text(message, "type_url"), "t/x");
  EXPECT_EQ(Text(message, "nonce"), "n");
  EXPECT_THAT(Texts(message, "removed_resources"), ElementsAre("p", "q"));
  ASSERT_EQ(Count(message, "resources"), 2U);
  EXPECT_EQ(Text(Sub(message, "resources", 0), "name"), "a");
  EXPECT_EQ(Text(Sub(message, "resources", 0), "version"), "v");
  EXPECT_THAT(Texts(Sub(message, "resources", 0), "aliases"), ElementsAre("x/1", "x/2"));
  EXPECT_EQ(Text(Sub(Sub(message, "resources", 0), "resource"), "type_url"), "t/x");
  EXPECT_EQ(Text(Sub(Sub(message, "resources", 0), "resource"), "value"), "payload");
  EXPECT_EQ(Text(Sub(message, "resources", 1), "name"), "x/none");
  EXPECT_THAT(Texts(Sub(message, "resources", 1), "aliases"), ElementsAre("x/none"));
  EXPECT_FALSE(Has(Sub(message, "resources", 1), "resource"));
}

TEST(ResponseParts, ATimeToLive) {
  using std::chrono::milliseconds;
  const std::string bytes = EncodeDeltaEntry({"a", "v", {}, "t/x", "payload", milliseconds(90'500)}) +
                            EncodeHeartbeat("b", "w", milliseconds(2'000)) +
                            EncodeHeartbeat("c", "w", std::chrono::nanoseconds(1));
  const std::unique_ptr<Message> owner = Parsed(kDeltaResponse, bytes);
  const auto ttl = [&owner](std::size_t index) -> const Message& {
    return Sub(Sub(*owner, "resources", index), "ttl");
  };
  EXPECT_EQ(Number(ttl(0), "seconds"), 90);
  EXPECT_EQ(Number(ttl(0), "nanos"), 500'000'000);
  EXPECT_EQ(Text(Sub(Sub(*owner, "resources", 0), "resource"), "value"), "payload");
  EXPECT_EQ(Text(Sub(*owner, "resources", 1), "name"), "b");
  EXPECT_EQ(Text(Sub(*owner, "resources", 1), "version"), "w");
  EXPECT_FALSE(Has(Sub(*owner, "resources", 1), "resource"));
  EXPECT_EQ(Number(ttl(1), "seconds"), 2);
  EXPECT_EQ(Number(ttl(2), "seconds"), 0);
  EXPECT_EQ(Number(ttl(2), "nanos"), 1);
}

TEST(ResponseParts, AWrapperInSotw) {
  const std::unique_ptr<Message> owner =
      Parsed(kSotwResponse, EncodeWrappedEntry("a", std::chrono::seconds(30), "t/x", "payload"));
  const Message& any = Sub(*owner, "resources", 0);
  EXPECT_EQ(Text(any, "type_url"), "type.googleapis.com/envoy.service.discovery.v3.Resource");
  const std::unique_ptr<Message> wrapper = Parsed(kResource, Text(any, "value"));
  EXPECT_EQ(Text(*wrapper, "name"), "a");
  EXPECT_EQ(Text(*wrapper, "version"), "");
  EXPECT_EQ(Number(Sub(*wrapper, "ttl"), "seconds"), 30);
  EXPECT_EQ(Text(Sub(*wrapper, "resource"), "type_url"), "t/x");
  EXPECT_EQ(Text(Sub(*wrapper, "resource"), "value"), "payload");
}

}  // namespace
}  // namespace xdscope::protocol::testing
