#include "lib/protocol/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>

#include "tests/unit/protocol/oracle.h"

namespace xdscope::protocol::testing {
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

// ---- Random requests, against protobuf.

class RandomRequest {
 public:
  explicit RandomRequest(unsigned seed) : random_(seed) {}

  Request Make() {
    Request request;
    request.type_url = Word();
    request.version = Word();
    request.nonce = Word();
    request.names = Words();
    request.unsubscribe = Words();
    for (const std::string& name : Words()) versions_[name] = Word();
    request.initial_versions.assign(versions_.begin(), versions_.end());
    std::shuffle(request.initial_versions.begin(), request.initial_versions.end(), random_);
    versions_.clear();
    if (Pick(2) == 0) request.error = RequestError{Codes(), Word()};
    request.has_node = Pick(2) == 0;
    return request;
  }

 private:
  std::size_t Pick(std::size_t below) { return random_() % below; }
  int Codes() { return std::array{0, 3, 13, 128, -1, std::numeric_limits<int>::min()}[Pick(6)]; }
  std::string Word() {
    static const std::vector<std::string> words = {"", "", "a", "ünï", "*", std::string(130, 'x'), "line\nline", "z"};
    return words[Pick(words.size())];
  }
  std::vector<std::string> Words() {
    std::vector<std::string> words(Pick(4));
    for (std::string& word : words) word = Word();
    return words;
  }

  std::mt19937 random_;
  std::map<std::string, std::string> versions_;
};

void ExpectSameError(const Message& theirs, const Request& ours) {
  ASSERT_EQ(Has(theirs, "error_detail"), ours.error.has_value());
  if (!ours.error) return;
  EXPECT_EQ(Number(Sub(theirs, "error_detail"), "code"), ours.error->code);
  EXPECT_EQ(Text(Sub(theirs, "error_detail"), "message"), ours.error->message);
}

TEST(RandomRequests, OfSotwAreWhatProtobufWrites) {
  RandomRequest random(1);
  for (int i = 0; i < 2000; ++i) {
    Request request = random.Make();
    EncodeRequest(Variant::kSotw, "\x0a\x02id", &request);
    const std::unique_ptr<Message> theirs = Parsed(kSotwRequest, request.bytes);
    EXPECT_EQ(Text(*theirs, "type_url"), request.type_url);
    EXPECT_EQ(Text(*theirs, "version_info"), request.version);
    EXPECT_EQ(Text(*theirs, "response_nonce"), request.nonce);
    EXPECT_EQ(Texts(*theirs, "resource_names"), request.names);
    EXPECT_EQ(Text(Sub(*theirs, "node"), "id"), request.has_node ? "id" : "");
    ExpectSameError(*theirs, request);
    ASSERT_EQ(Serialized(*theirs), request.bytes);
  }
}

TEST(RandomRequests, OfDeltaAreWhatProtobufWrites) {
  RandomRequest random(2);
  for (int i = 0; i < 2000; ++i) {
    Request request = random.Make();
    EncodeRequest(Variant::kDelta, "\x0a\x02id", &request);
    const std::unique_ptr<Message> theirs = Parsed(kDeltaRequest, request.bytes);
    EXPECT_EQ(Text(*theirs, "type_url"), request.type_url);
    EXPECT_EQ(Text(*theirs, "response_nonce"), request.nonce);
    EXPECT_EQ(Texts(*theirs, "resource_names_subscribe"), request.names);
    EXPECT_EQ(Texts(*theirs, "resource_names_unsubscribe"), request.unsubscribe);
    EXPECT_EQ(Text(Sub(*theirs, "node"), "id"), request.has_node ? "id" : "");
    std::map<std::string, std::string> versions;
    for (std::size_t k = 0; k < Count(*theirs, "initial_resource_versions"); ++k) {
      const Message& entry = Sub(*theirs, "initial_resource_versions", k);
      versions[Text(entry, "key")] = Text(entry, "value");
    }
    EXPECT_THAT(versions, ::testing::UnorderedElementsAreArray(request.initial_versions));
    ExpectSameError(*theirs, request);
    ASSERT_EQ(Serialized(*theirs), request.bytes);
  }
}

}  // namespace
}  // namespace xdscope::protocol::testing
