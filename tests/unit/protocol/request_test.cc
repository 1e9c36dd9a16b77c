#include "lib/protocol/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Request Full() {
  Request request;
  request.type_url = "type.googleapis.com/a.B";
  request.nonce = "n";
  request.names = {"b", "a"};
  request.error = RequestError{3, "no"};
  request.has_node = true;
  return request;
}

TEST(Request, ASotwRequestReadsBackAsItWasWritten) {
  Request request = Full();
  request.version = "v";
  EncodeRequest(Variant::kSotw, "\x0a\x02id", &request);
  const auto read = DecodeRequest(Variant::kSotw, request.bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->kind, Request::Kind::kNack);
  EXPECT_EQ(read->type_url, request.type_url);
  EXPECT_EQ(read->version, "v");
  EXPECT_EQ(read->nonce, "n");
  EXPECT_THAT(read->names, ElementsAre("b", "a"));
  EXPECT_EQ(read->error, request.error);
  EXPECT_TRUE(read->has_node);
}

TEST(Request, ADeltaRequestReadsBackAsItWasWritten) {
  Request request = Full();
  request.error.reset();
  request.unsubscribe = {"c"};
  request.initial_versions = {{"z", "1"}, {"y", "2"}};
  EncodeRequest(Variant::kDelta, "\x0a\x02id", &request);
  const auto read = DecodeRequest(Variant::kDelta, request.bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->kind, Request::Kind::kAck);
  EXPECT_EQ(read->type_url, request.type_url);
  EXPECT_EQ(read->nonce, "n");
  EXPECT_THAT(read->names, ElementsAre("b", "a"));
  EXPECT_THAT(read->unsubscribe, ElementsAre("c"));
  EXPECT_THAT(read->initial_versions, ElementsAre(Pair("y", "2"), Pair("z", "1")));
  EXPECT_FALSE(read->error.has_value());
  EXPECT_TRUE(read->has_node);
}

TEST(Request, TheSameFieldsGiveTheSameBytes) {
  Request one = Full();
  Request other = Full();
  for (int i = 0; i < 50; ++i) one.initial_versions.emplace_back("name" + std::to_string(i), "1");
  other.initial_versions.assign(one.initial_versions.rbegin(), one.initial_versions.rend());
  EncodeRequest(Variant::kDelta, "", &one);
  EncodeRequest(Variant::kDelta, "", &other);
  EXPECT_EQ(one.bytes, other.bytes);
}

TEST(Request, WithoutANodeThereIsNone) {
  Request request = Full();
  request.has_node = false;
  EncodeRequest(Variant::kSotw, "\x0a\x02id", &request);
  EXPECT_FALSE(DecodeRequest(Variant::kSotw, request.bytes)->has_node);
}

TEST(Request, BytesThatAreNoRequestAreDataLoss) {
  EXPECT_EQ(DecodeRequest(Variant::kSotw, "\x0a\x09").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeRequest(Variant::kDelta, "\x12\x01\xff").status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace xdscope::protocol
