#include "lib/session/stream_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/unit/session/conversation.h"

namespace xdscope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StreamSessionTest : public testing::Test {
 protected:
  StreamSessionTest() { session_.ads().SetInterest(kClusters, protocol::Interest::Everything()); }

  fake::FakeStream& stream() { return channel_.last(); }
  protocol::Request LastSent() { return Decoded(stream().written.back()); }

  // Up to the first request, written.
  void Start() {
    session_.Open();
    stream().Connect();
    stream().Written();
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  Log log_;
  Verdict verdict_;
  StreamSession session_{
      protocol::AdsSession({}), channel_, "/ads", clock_, [this](const protocol::Response&) { return verdict_; }, log_};
};

TEST_F(StreamSessionTest, NothingIsOpenedBeforeOpen) {
  session_.Pump();
  session_.Finish();
  session_.Cancel();
  EXPECT_THAT(channel_.streams(), IsEmpty());
}

TEST_F(StreamSessionTest, RequestsWaitForTheConnection) {
  session_.Open();
  EXPECT_EQ(stream().method, "/ads");
  EXPECT_THAT(stream().written, IsEmpty());
  stream().Connect();
  EXPECT_EQ(log_.connected, 1);
  EXPECT_THAT(stream().written, SizeIs(1));
  EXPECT_EQ(LastSent().type_url, kClusters);
  EXPECT_THAT(log_.requests, SizeIs(1));
}

TEST_F(StreamSessionTest, OneWriteAtATimeAndChangesMeanwhileBecomeOneRequest) {
  session_.Open();
  stream().Connect();
  session_.ads().SetInterest(kClusters, protocol::Interest::Names({"a"}));
  session_.Pump();
  session_.ads().SetInterest(kClusters, protocol::Interest::Names({"a", "b"}));
  session_.Pump();
  EXPECT_THAT(stream().written, SizeIs(1));
  stream().Written();
  EXPECT_THAT(stream().written, SizeIs(2));
  EXPECT_THAT(LastSent().names, ElementsAre("a", "b"));
  stream().Written();
  EXPECT_THAT(stream().written, SizeIs(2));
}

TEST_F(StreamSessionTest, AnAckIsSentAsTheJudgeSays) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_EQ(LastSent().version, "1");
  EXPECT_EQ(LastSent().nonce, "n1");
  EXPECT_FALSE(LastSent().error.has_value());
  ASSERT_THAT(log_.responses, SizeIs(1));
  EXPECT_EQ(log_.responses[0].version, "1");
}

TEST_F(StreamSessionTest, ANackKeepsTheJudgesWords) {
  Start();
  verdict_ = {Verdict::Answer::kNack, "too blue", {}, false};
  stream().Deliver(Response("1", "n1", {"a"}));
  ASSERT_TRUE(LastSent().error.has_value());
  EXPECT_EQ(LastSent().error->message, "too blue");
  EXPECT_EQ(LastSent().version, "");
  EXPECT_EQ(log_.verdicts[0].message, "too blue");
}

TEST_F(StreamSessionTest, APartialNackUsesWhatWasNotRefused) {
  Start();
  verdict_ = {Verdict::Answer::kNack, "b is bad", {{.resource = "b", .message = "bad"}}, true};
  stream().Deliver(Response("1", "n1", {"a", "b"}));
  ASSERT_TRUE(LastSent().error.has_value());
  const protocol::Subscription* clusters = session_.ads().Find(kClusters);
  EXPECT_NE(clusters->Held("a"), nullptr);
  EXPECT_EQ(clusters->Held("b"), nullptr);
}

TEST_F(StreamSessionTest, AWithheldAnswerIsNeverSent) {
  Start();
  verdict_.answer = Verdict::Answer::kWithhold;
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_THAT(stream().written, SizeIs(1));
  EXPECT_EQ(session_.ads().Ack(log_.responses[0].id).code(), absl::StatusCode::kNotFound);
}

TEST_F(StreamSessionTest, AnAnswerMayBeGivenLaterByHand) {
  Start();
  verdict_.answer = Verdict::Answer::kLater;
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_THAT(stream().written, SizeIs(1));
  EXPECT_TRUE(session_.ads().Ack(log_.responses[0].id).ok());
  session_.Pump();
  EXPECT_EQ(LastSent().nonce, "n1");
}

TEST_F(StreamSessionTest, TheNextMessageIsAskedForOnlyWhenTheLastWasTaken) {
  Start();
  bool reading = true;
  log_.on_response = [&] { reading = stream().reading; };
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_FALSE(reading);
  EXPECT_TRUE(stream().reading);
}

TEST_F(StreamSessionTest, InterestThatAResponseLeadsToIsSentWithoutAnotherWord) {
  Start();
  constexpr std::string_view kEndpoints = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";
  log_.on_response = [&] {
    session_.ads().SetInterest(kEndpoints, protocol::Interest::Names({"a"}));
    session_.Pump();
  };
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_EQ(LastSent().nonce, "n1");  // the answer first
  stream().Written();
  EXPECT_EQ(LastSent().type_url, kEndpoints);
}

TEST_F(StreamSessionTest, BytesThatAreNoResponseEndTheStream) {
  Start();
  stream().Deliver("\xff\xff\xff");
  ASSERT_THAT(log_.unreadable, SizeIs(1));
  EXPECT_EQ(log_.unreadable[0].second, "\xff\xff\xff");
  EXPECT_TRUE(stream().cancelled);
  stream().Close(absl::CancelledError());
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(log_.had_response);
}

TEST_F(StreamSessionTest, TheServersEndIsTold) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  stream().Close(absl::UnavailableError("going away"));
  EXPECT_THAT(log_.closed, ElementsAre(absl::UnavailableError("going away")));
  EXPECT_TRUE(log_.had_response);
  EXPECT_FALSE(session_.ads().stream_is_open());
}

TEST_F(StreamSessionTest, AConnectionThatNeverCameIsTold) {
  session_.Open();
  stream().Close(absl::UnavailableError("refused"));
  EXPECT_THAT(log_.closed, ElementsAre(absl::UnavailableError("refused")));
  EXPECT_EQ(log_.connected, 0);
  EXPECT_THAT(log_.requests, IsEmpty());
}

TEST_F(StreamSessionTest, FinishWritesTheLastAckBeforeItClosesTheWritingSide) {
  Start();
  log_.on_response = [&] { session_.Finish(); };
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_EQ(LastSent().nonce, "n1");
  EXPECT_FALSE(stream().writes_done);
  stream().Written();
  EXPECT_TRUE(stream().writes_done);
  EXPECT_FALSE(stream().cancelled);
  stream().Close();
  EXPECT_THAT(log_.closed, ElementsAre(absl::OkStatus()));
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(StreamSessionTest, AServerThatIgnoresTheHalfCloseIsCancelledAfterTheLimit) {
  Start();
  session_.Finish();
  EXPECT_TRUE(stream().writes_done);
  clock_.Advance(StreamSession::kFinishLimit - std::chrono::milliseconds(1));
  EXPECT_FALSE(stream().cancelled);
  clock_.Advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(stream().cancelled);
  stream().Close(absl::CancelledError());
  EXPECT_THAT(log_.closed, ElementsAre(absl::OkStatus()));
}

TEST_F(StreamSessionTest, AWriteThatIsStuckDoesNotHoldUpFinish) {
  session_.Open();
  stream().Connect();
  session_.Finish();
  EXPECT_FALSE(stream().writes_done);
  clock_.Advance(StreamSession::kFinishLimit);
  EXPECT_TRUE(stream().cancelled);
}

TEST_F(StreamSessionTest, FinishBeforeTheConnectionGivesUpAtOnce) {
  session_.Open();
  session_.Finish();
  EXPECT_TRUE(stream().cancelled);
  stream().Close(absl::CancelledError());
  EXPECT_THAT(log_.closed, ElementsAre(absl::OkStatus()));
}

TEST_F(StreamSessionTest, WhatComesAfterFinishIsDropped) {
  Start();
  session_.Finish();
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_THAT(log_.responses, IsEmpty());
  EXPECT_TRUE(stream().reading);
}

TEST_F(StreamSessionTest, CancelEndsWithCancelled) {
  Start();
  session_.Cancel();
  EXPECT_TRUE(stream().cancelled);
  EXPECT_THAT(log_.closed, IsEmpty());
  stream().Close(absl::CancelledError());
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kCancelled);
}

TEST_F(StreamSessionTest, CancelWhileAResponseIsLookedAtWritesNothingMore) {
  Start();
  log_.on_response = [&] { session_.Cancel(); };
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_THAT(stream().written, SizeIs(1));
  EXPECT_TRUE(stream().cancelled);
}

TEST_F(StreamSessionTest, ASecondOpenGoesOnWithTheVersionButWithoutTheNonce) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  stream().Written();
  stream().Close(absl::UnavailableError("lost"));
  session_.Open();
  EXPECT_THAT(channel_.streams(), SizeIs(2));
  stream().Connect();
  EXPECT_EQ(LastSent().version, "1");
  EXPECT_EQ(LastSent().nonce, "");
}

}  // namespace
}  // namespace xdscope::session
