#include "lib/client/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/request.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using fake::kCds;
using fake::kEds;
using fake::kLds;
using fake::kRds;

const std::string kFromAds = fake::AdsSource();
const std::string kFromFile = fake::FileSource("/e.yaml");

std::string Named(std::string_view name, std::string_view more = {}) {
  return fake::Payload(name, more);
}

std::string EdsCluster(std::string_view name, std::string_view config_source) {
  return fake::EdsCluster(name, config_source);
}

std::string Sotw(std::string_view type, std::string_view nonce, const std::vector<std::string>& payloads) {
  fake::Response response{.type_url = type, .version = "v1", .nonce = std::string(nonce)};
  for (const std::string& payload : payloads) response.resources.push_back({.payload = payload});
  return fake::Sotw(response);
}

std::string Delta(std::string_view type, std::string_view nonce, const std::vector<std::string>& names,
                  const std::vector<std::string>& removed = {}) {
  fake::Response response{.type_url = type, .nonce = std::string(nonce), .removed = removed};
  for (const std::string& name : names) response.resources.push_back({.name = name, .version = "1"});
  return fake::Delta(response);
}

class FetchTest : public testing::Test {
 protected:
  void Start(std::vector<Want> wants, types::Variant variant = types::Variant::kAds) {
    FetchSettings settings;
    settings.wants = std::move(wants);
    settings.follow = follow_;
    settings.keep_responses = keep_responses_;
    settings.judge = policy_;
    Fetch::Listener listener;
    listener.decided = [this] { ++decided_; };
    listener.done = [this] { done_ = true; };
    listener.event = [this](const source::Event& event) { events_ += std::holds_alternative<source::Update>(event); };
    source::GrpcSource::Settings source;
    source.variant = variant;
    source_.emplace(clock_, channel_, types_, std::move(source));
    fetch_.emplace(clock_, *source_, types_, std::move(settings), std::move(listener));
    fetch_->Start();
    for (fake::FakeStream& stream : channel_.streams()) {
      stream.Connect();
      Flush(stream);
    }
  }

  void Flush(fake::FakeStream& stream) {
    while (stream.writing) stream.Written();
  }

  void Deliver(const std::string& message) { Deliver(channel_.last(), message); }
  void Deliver(fake::FakeStream& stream, const std::string& message) {
    stream.Deliver(message);
    Flush(stream);
  }

  // Whether it wants to leave: everything is said, the stream half-closed. Then lets it.
  bool Leaves() {
    bool leaves = true;
    for (fake::FakeStream& stream : channel_.streams()) {
      if (!stream.writes_done) leaves = false;
      if (stream.writes_done && !stream.dropped) stream.Close();
    }
    return leaves && done_;
  }

  std::vector<protocol::Request> Sent(protocol::Variant variant = protocol::Variant::kSotw) {
    std::vector<protocol::Request> requests;
    for (const std::string& bytes : channel_.last().written) {
      requests.push_back(*protocol::DecodeRequest(variant, bytes));
    }
    return requests;
  }

  std::vector<std::string> Names(std::string_view type) {
    std::vector<std::string> names;
    const auto& all = fetch_->outcome().snapshot.types();
    const auto found = all.find(std::string(type));
    if (found == all.end()) return names;
    for (const auto& [name, resource] : found->second.resources) names.push_back(name);
    return names;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  bool follow_ = false;
  bool keep_responses_ = false;
  JudgePolicy policy_;
  int events_ = 0;  // updates told
  int decided_ = 0;
  bool done_ = false;
  std::optional<source::GrpcSource> source_;
  std::optional<Fetch> fetch_;
};

Want Everything(std::string_view type) {
  return {std::string(type), {}, true, false};
}
Want Only(std::string_view type, std::vector<std::string> names) {
  return {std::string(type), std::move(names), false, false};
}

TEST_F(FetchTest, AWildcardInSotwIsCompleteWithItsFirstResponse) {
  Start({Everything(kCds)});
  EXPECT_FALSE(Leaves());
  Deliver(Sotw(kCds, "1", {Named("b"), Named("a")}));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(Names(kCds), ElementsAre("a", "b"));
  EXPECT_THAT(fetch_->outcome().failures, IsEmpty());
}

TEST_F(FetchTest, TheLastResponseIsAcknowledgedBeforeItLeaves) {
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[1].nonce, "1");
  EXPECT_EQ(sent[1].version, "v1");
  EXPECT_FALSE(sent[1].error);
}

TEST_F(FetchTest, ItIsDecidedOnceBeforeTheGoodbyeIsOver) {
  Start({Everything(kCds)});
  EXPECT_EQ(decided_, 0);
  Deliver(Sotw(kCds, "1", {Named("a")}));
  EXPECT_EQ(decided_, 1);
  EXPECT_FALSE(done_);
  ASSERT_THAT(Sent(), SizeIs(2));  // the acknowledgement is on its way
  EXPECT_TRUE(Leaves());
  EXPECT_EQ(decided_, 1);
}

TEST_F(FetchTest, WhatBrokeOffIsNeverDecided) {
  Start({Everything(kCds)});
  channel_.last().Close(absl::UnavailableError("gone"));
  EXPECT_TRUE(done_);
  EXPECT_EQ(decided_, 0);
}

TEST_F(FetchTest, AWildcardInDeltaWaitsForQuiet) {
  Start({Everything(kCds)}, types::Variant::kDeltaAds);
  Deliver(Delta(kCds, "1", {"a"}));
  clock_.Advance(milliseconds(200));
  EXPECT_FALSE(Leaves());
  Deliver(Delta(kCds, "2", {"b"}));
  clock_.Advance(milliseconds(299));
  EXPECT_FALSE(Leaves());
  clock_.Advance(milliseconds(1));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(Names(kCds), ElementsAre("a", "b"));
}

TEST_F(FetchTest, AServerThatIsNeverQuietIsHeardForTheWait) {
  Start({Everything(kCds)}, types::Variant::kDeltaAds);
  for (int i = 0; i < 150; ++i) {
    Deliver(Delta(kCds, std::to_string(i), {"a"}));
    clock_.Advance(milliseconds(100));
    if (i < 149) {
      ASSERT_FALSE(Leaves()) << i;
    }
  }
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().unsettled, ElementsAre(kCds));
}

TEST_F(FetchTest, WhatBecameQuietIsSettled) {
  Start({Everything(kCds)}, types::Variant::kDeltaAds);
  Deliver(Delta(kCds, "1", {"a"}));
  clock_.Advance(milliseconds(300));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().unsettled, IsEmpty());
}

TEST_F(FetchTest, ADeltaStreamThatEndsWithOkWhileItIsQuietHasSaidAll) {
  Start({Everything(kCds)}, types::Variant::kDeltaAds);
  Deliver(Delta(kCds, "1", {"a"}));
  channel_.last().Close();
  EXPECT_TRUE(done_);
  EXPECT_THAT(fetch_->outcome().failures, IsEmpty());
}

TEST_F(FetchTest, ANameIsAbsentWhenItsTimeIsOver) {
  Start({Only(kEds, {"a", "b"})});
  Deliver(Sotw(kEds, "1", {Named("a")}));
  clock_.Advance(seconds(15) - milliseconds(1));
  EXPECT_FALSE(Leaves());
  clock_.Advance(milliseconds(1));
  EXPECT_TRUE(Leaves());
  ASSERT_THAT(fetch_->outcome().missing, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().missing[0].name, "b");
  EXPECT_TRUE(fetch_->outcome().missing[0].typed);
  EXPECT_FALSE(fetch_->outcome().missing[0].said);
}

TEST_F(FetchTest, ANameThatTheServerCallsAbsentIsNotWaitedFor) {
  Start({Only(kEds, {"a", "b"})}, types::Variant::kDeltaAds);
  Deliver(Delta(kEds, "1", {"a"}, {"b"}));
  EXPECT_TRUE(Leaves());
  ASSERT_THAT(fetch_->outcome().missing, SizeIs(1));
  EXPECT_TRUE(fetch_->outcome().missing[0].said);
}

TEST_F(FetchTest, AClusterThatTheFirstResponseDoesNotHaveIsAbsentAtOnce) {
  Start({Only(kCds, {"a", "b"})});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  EXPECT_TRUE(Leaves());
  ASSERT_THAT(fetch_->outcome().missing, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().missing[0].name, "b");
}

TEST_F(FetchTest, SilenceEndsAfterTheWait) {
  Start({Everything(kCds), Everything(kLds)});
  Deliver(Sotw(kCds, "1", {}));
  clock_.Advance(seconds(15));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().silent, ElementsAre(kLds));
}

TEST_F(FetchTest, ReferencesAreFollowedWhereTheSourceIsThisServer) {
  follow_ = true;
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {EdsCluster("a", kFromAds), EdsCluster("b", kFromFile)}));
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(3));
  EXPECT_EQ(sent[2].type_url, kEds);
  EXPECT_THAT(sent[2].names, ElementsAre("a"));
  EXPECT_FALSE(Leaves());
  Deliver(Sotw(kEds, "2", {Named("a")}));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(Names(kEds), ElementsAre("a"));
  ASSERT_THAT(fetch_->outcome().elsewhere, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().elsewhere.begin()->name, "b");
  EXPECT_EQ(fetch_->outcome().elsewhere.begin()->where, "file /e.yaml");
}

TEST_F(FetchTest, EverNewReferencesAreWaitedForTwiceTheWait) {
  follow_ = true;
  Start({Everything(kCds)});
  for (int i = 0; i < 299; ++i) {
    ASSERT_FALSE(Leaves()) << i;
    Deliver(Sotw(kCds, std::to_string(i), {EdsCluster("c" + std::to_string(i), kFromAds)}));
    clock_.Advance(milliseconds(100));
  }
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().unsettled, ElementsAre(kEds));
  EXPECT_THAT(fetch_->outcome().missing, SizeIs(299));
}

TEST_F(FetchTest, ALateReferenceThatIsAnsweredIsSettled) {
  follow_ = true;
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {EdsCluster("a", kFromAds)}));
  clock_.Advance(seconds(14));
  Deliver(Sotw(kCds, "2", {EdsCluster("a", kFromAds), EdsCluster("b", kFromAds)}));
  clock_.Advance(seconds(14));
  Deliver(Sotw(kCds, "3", {EdsCluster("a", kFromAds), EdsCluster("b", kFromAds), EdsCluster("c", kFromAds)}));
  Deliver(Sotw(kEds, "4", {Named("a"), Named("c")}));
  EXPECT_FALSE(Leaves());
  clock_.Advance(seconds(1));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().unsettled, IsEmpty());
  EXPECT_THAT(fetch_->outcome().missing, SizeIs(1));
}

TEST_F(FetchTest, WithoutFollowReferencesStayReferences) {
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {EdsCluster("a", kFromAds)}));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().elsewhere, IsEmpty());
}

TEST_F(FetchTest, PerTypeVariantsHaveAStreamForEachType) {
  follow_ = true;
  Start({Everything(kCds)}, types::Variant::kSotw);
  Deliver(channel_.streams()[0], Sotw(kCds, "1", {EdsCluster("a", kFromAds)}));
  ASSERT_THAT(channel_.streams(), SizeIs(2));
  EXPECT_EQ(channel_.streams()[1].method, "/envoy.service.endpoint.v3.EndpointDiscoveryService/StreamEndpoints");
  channel_.streams()[1].Connect();
  Flush(channel_.streams()[1]);
  Deliver(channel_.streams()[1], Sotw(kEds, "1", {Named("a")}));
  EXPECT_TRUE(Leaves());
}

TEST_F(FetchTest, AStreamThatDiesIsNotOpenedAgainAndWhatCameIsKept) {
  Start({Everything(kCds), Everything(kLds)});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  channel_.last().Close(absl::UnavailableError("gone"));
  EXPECT_TRUE(done_);
  EXPECT_THAT(channel_.streams(), SizeIs(1));
  ASSERT_THAT(fetch_->outcome().failures, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().failures[0].status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(fetch_->outcome().failures[0].connected);
  EXPECT_THAT(Names(kCds), ElementsAre("a"));
}

TEST_F(FetchTest, ABadResourceIsKeptAndNamedAndTheResponseAcknowledged) {
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {Named("good"), Named("bad", "\x12")}));
  EXPECT_TRUE(Leaves());
  ASSERT_THAT(fetch_->outcome().findings, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().findings[0].resource, "bad");
  EXPECT_FALSE(fetch_->outcome().refused);
  EXPECT_THAT(Names(kCds), ElementsAre("bad", "good"));
  EXPECT_FALSE(Sent().back().error);
}

TEST_F(FetchTest, ARefusedResponseEndsItToo) {
  policy_.on_invalid = JudgePolicy::OnInvalid::kNack;
  Start({Only(kCds, {"bad"})});
  Deliver(Sotw(kCds, "1", {Named("bad", "\x12")}));
  EXPECT_TRUE(Leaves());
  EXPECT_TRUE(fetch_->outcome().refused);
  EXPECT_THAT(fetch_->outcome().missing, IsEmpty());
  ASSERT_TRUE(Sent().back().error);
  EXPECT_EQ(Sent().back().error->code, 13);
}

TEST_F(FetchTest, OfTwoResourcesOfOneNameTheFirstIsKept) {
  Start({Everything(kEds)});
  Deliver(Sotw(kEds, "1", {Named("a", fake::Field(2, "")), Named("a")}));
  EXPECT_TRUE(Leaves());
  EXPECT_EQ(fetch_->outcome().snapshot.Find(std::string(kEds), "a")->payload, Named("a", fake::Field(2, "")));
  ASSERT_THAT(fetch_->outcome().findings, SizeIs(1));
}

TEST_F(FetchTest, StopEndsItAtOnceWithWhatThereIs) {
  Start({Everything(kCds), Everything(kRds)});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  fetch_->Stop();
  EXPECT_TRUE(Leaves());
  EXPECT_TRUE(fetch_->outcome().out_of_time);
  EXPECT_THAT(Names(kCds), ElementsAre("a"));
}

TEST_F(FetchTest, AfterStopNothingIsDecided) {
  Start({Everything(kCds), Everything(kRds)});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  fetch_->Stop();
  EXPECT_EQ(decided_, 0);
}

// A name that the response was to answer is not waited for, whatever the resource in it is called.
class NamelessTest : public FetchTest, public testing::WithParamInterface<JudgePolicy::OnInvalid> {};

TEST_P(NamelessTest, ARefusedResponseWithANamelessResourceEndsItAtOnce) {
  policy_.on_invalid = GetParam();
  Start({Only(kEds, {"x"})});
  Deliver(Sotw(kEds, "1", {Named("")}));
  EXPECT_TRUE(Leaves());
  EXPECT_TRUE(fetch_->outcome().refused);
  EXPECT_THAT(fetch_->outcome().missing, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Refusals, NamelessTest,
                         testing::Values(JudgePolicy::OnInvalid::kNack, JudgePolicy::OnInvalid::kPartial));

TEST_F(FetchTest, UnderNackADifferentDeltaResponseIsRefusedToo) {
  policy_.nack_all = true;
  Start({Only(kEds, {"a", "b"})}, types::Variant::kDeltaAds);
  Deliver(Delta(kEds, "1", {"a"}));
  EXPECT_EQ(Sent(protocol::Variant::kDelta).back().nonce, "1");
  Deliver(Delta(kEds, "2", {"a"}));  // sent again
  EXPECT_EQ(Sent(protocol::Variant::kDelta).back().nonce, "1");
  Deliver(Delta(kEds, "3", {"b"}));
  EXPECT_EQ(Sent(protocol::Variant::kDelta).back().nonce, "3");
  EXPECT_TRUE(Leaves());
}

TEST_F(FetchTest, NamesAreComparedInNormalForm) {
  const std::string typed = "xdstp://x/envoy.config.endpoint.v3.ClusterLoadAssignment/a?b=1&a=1";
  const std::string spelled = "xdstp://x/envoy.config.endpoint.v3.ClusterLoadAssignment/a?a=1&b=1";
  Start({Only(kEds, {typed})}, types::Variant::kDeltaAds);
  Deliver(Delta(kEds, "1", {spelled}));
  EXPECT_TRUE(Leaves());
  EXPECT_THAT(fetch_->outcome().missing, IsEmpty());
}

TEST_F(FetchTest, WhatTheSourceTellsIsHandedOn) {
  Start({Everything(kCds)});
  Deliver(Sotw(kCds, "1", {Named("a")}));
  EXPECT_EQ(events_, 1);
}

TEST_F(FetchTest, AnUnreadableResponseIsKeptWithTheOthers) {
  keep_responses_ = true;
  Start({Everything(kCds)});
  Deliver("\xff\xff\xff");
  ASSERT_THAT(fetch_->outcome().responses, SizeIs(1));
  EXPECT_EQ(*fetch_->outcome().responses[0].bytes, "\xff\xff\xff");
}

TEST_F(FetchTest, WhatIsWaitedForIsToldWithItsOpenNames) {
  Start({Everything(kCds), Only(kEds, {"a", "b"})});
  const std::vector<Fetch::Waiting> waiting = fetch_->waiting();
  ASSERT_THAT(waiting, SizeIs(2));
  EXPECT_EQ(waiting[0].open_names, 0U);
  EXPECT_EQ(waiting[1].open_names, 2U);
}

}  // namespace
}  // namespace xdscope::client
