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
  StreamSessionTest() {
    session_.Want(kClusters, {protocol::Interest::Everything()});
    log_.on_response = [this] {
      if (!verdict_) return;
      EXPECT_TRUE(session_.Answer(log_.responses.back().id, *verdict_).ok());
    };
  }

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
  std::optional<protocol::Verdict> verdict_ = protocol::Verdict::Ack();  // given at once; nullopt: none is
  StreamSession session_{protocol::AdsSession({}), channel_, "/ads", clock_, log_.listener()};
};

TEST_F(StreamSessionTest, NothingIsOpenedBeforeOpen) {
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
  session_.Want(kClusters, {.add = protocol::Interest::Names({"a"}), .remove = protocol::Interest::Everything()});
  session_.Want(kClusters, {protocol::Interest::Names({"b"})});
  EXPECT_THAT(stream().written, SizeIs(1));
  stream().Written();
  EXPECT_THAT(stream().written, SizeIs(2));
  EXPECT_THAT(LastSent().names, ElementsAre("a", "b"));
  stream().Written();
  EXPECT_THAT(stream().written, SizeIs(2));
}

TEST_F(StreamSessionTest, AnAckIsSentWhenItIsGiven) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_EQ(LastSent().version, "1");
  EXPECT_EQ(LastSent().nonce, "n1");
  EXPECT_FALSE(LastSent().error.has_value());
  ASSERT_THAT(log_.responses, SizeIs(1));
  EXPECT_EQ(log_.responses[0].version, "1");
}

TEST_F(StreamSessionTest, ANackKeepsItsWords) {
  Start();
  verdict_ = protocol::Verdict::Nack("too blue");
  stream().Deliver(Response("1", "n1", {"a"}));
  ASSERT_TRUE(LastSent().error.has_value());
  EXPECT_EQ(LastSent().error->message, "too blue");
  EXPECT_EQ(LastSent().version, "");
}

TEST_F(StreamSessionTest, APartialNackUsesWhatWasNotRefused) {
  Start();
  verdict_ = protocol::Verdict::Partly("b is bad", {"b"});
  stream().Deliver(Response("1", "n1", {"a", "b"}));
  ASSERT_TRUE(LastSent().error.has_value());
  const protocol::Subscription* clusters = session_.ads().Find(kClusters);
  EXPECT_NE(clusters->Held("a"), nullptr);
  EXPECT_EQ(clusters->Held("b"), nullptr);
}

TEST_F(StreamSessionTest, AnAnswerMayBeGivenLaterAndOnce) {
  Start();
  verdict_.reset();
  stream().Deliver(Response("1", "n1", {"a"}));
  EXPECT_THAT(stream().written, SizeIs(1));
  EXPECT_TRUE(stream().reading);  // it goes on meanwhile
  const absl::StatusOr<protocol::Changes> changes = session_.Answer(log_.responses[0].id, protocol::Verdict::Ack());
  ASSERT_TRUE(changes.ok());
  EXPECT_THAT(changes->held, ElementsAre("a"));
  EXPECT_EQ(LastSent().nonce, "n1");
  EXPECT_EQ(session_.Answer(log_.responses[0].id, protocol::Verdict::Ack()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StreamSessionTest, WhatExpiresIsToldAtItsTime) {
  Start();
  stream().Deliver(fake::Sotw({.type_url = kClusters,
                               .version = "1",
                               .nonce = "n1",
                               .resources = {{.name = "a", .ttl_seconds = 5, .wrapped = true}}}));
  clock_.Advance(std::chrono::milliseconds(4999));
  EXPECT_THAT(log_.changes, IsEmpty());
  clock_.Advance(std::chrono::milliseconds(1));
  ASSERT_THAT(log_.changes, SizeIs(1));
  EXPECT_THAT(log_.changes[0].lost, ElementsAre("a"));
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(StreamSessionTest, WhatNothingAsksForAnyMoreIsTold) {
  Start();
  stream().Deliver(Response("1", "n1", {"a", "b"}));
  stream().Written();
  session_.Want(kClusters, {.add = protocol::Interest::Names({"b"}), .remove = protocol::Interest::Everything()});
  ASSERT_THAT(log_.changes, SizeIs(1));
  EXPECT_THAT(log_.changes[0].lost, ElementsAre("a"));
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
    EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    session_.Want(kEndpoints, {protocol::Interest::Names({"a"})});
    EXPECT_THAT(stream().written, SizeIs(1));  // not before all is said
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
  EXPECT_EQ(*log_.unreadable[0].bytes, "\xff\xff\xff");
  EXPECT_TRUE(stream().cancelled);
  stream().Close(absl::CancelledError());
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(log_.last_closed.had_response);
}

TEST_F(StreamSessionTest, TheServersEndIsTold) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  stream().Close(absl::UnavailableError("going away"));
  EXPECT_THAT(log_.closed, ElementsAre(absl::UnavailableError("going away")));
  EXPECT_TRUE(log_.last_closed.had_response);
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
  log_.on_response = [&] {
    EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    session_.Finish();
  };
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
  clock_.Advance(StreamSession::kWriteLimit);
  EXPECT_TRUE(stream().cancelled);
}

TEST_F(StreamSessionTest, FinishWaitsForAllTheAnswersOfAFlood) {
  Start();
  log_.on_response = [&] { EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok()); };
  for (const char* nonce : {"n1", "n2", "n3"}) stream().Deliver(Response(nonce, nonce, {"a"}));
  session_.Finish();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(stream().cancelled);
    EXPECT_FALSE(stream().writes_done);
    clock_.Advance(StreamSession::kFinishLimit);
    stream().Written();
  }
  EXPECT_EQ(LastSent().nonce, "n3");
  EXPECT_TRUE(stream().writes_done);
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

TEST_F(StreamSessionTest, CancelWhileAResponseIsToldWritesNothingMore) {
  Start();
  log_.on_response = [&] {
    EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    session_.Cancel();
  };
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

// ---- By hand.

TEST_F(StreamSessionTest, ARequestByHandGoesAfterWhatIsDueAndIsTakenNoteOf) {
  verdict_.reset();
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  protocol::Request ack;
  ack.type_url = kClusters;
  ack.version = "1";
  ack.nonce = "n1";
  protocol::EncodeRequest(protocol::Variant::kSotw, {}, &ack);
  EXPECT_TRUE(session_.Send(ack.bytes).ok());
  EXPECT_EQ(stream().written.back(), ack.bytes);
  ASSERT_THAT(log_.changes, SizeIs(1));
  EXPECT_THAT(log_.changes[0].held, ElementsAre("a"));
  EXPECT_EQ(log_.requests.back().nonce, "n1");
}

TEST_F(StreamSessionTest, BytesThatAreNoRequestAreSentAsTheyAre) {
  Start();
  EXPECT_TRUE(session_.Send("\xff").ok());
  EXPECT_EQ(stream().written.back(), "\xff");
}

TEST_F(StreamSessionTest, NothingIsSentByHandWithoutAConnection) {
  EXPECT_EQ(session_.Send("").code(), absl::StatusCode::kFailedPrecondition);
  Start();
  stream().Close();
  EXPECT_EQ(session_.Send("").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StreamSessionTest, WhatIsSentByHandWhileItConnectsGoesOutLater) {
  session_.Open();
  EXPECT_TRUE(session_.Send("x").ok());
  stream().Connect();
  while (stream().writing) stream().Written();
  EXPECT_EQ(stream().written.back(), "x");
}

TEST_F(StreamSessionTest, ItIsBusyUntilAllIsWritten) {
  EXPECT_FALSE(session_.IsBusy());
  session_.Open();
  EXPECT_TRUE(session_.IsBusy());
  stream().Connect();
  EXPECT_TRUE(session_.IsBusy());
  stream().Written();
  EXPECT_FALSE(session_.IsBusy());
  stream().Close();
  EXPECT_FALSE(session_.IsBusy());
}

TEST_F(StreamSessionTest, WhatAnAdjustmentMakesDueIsSent) {
  Start();
  stream().Deliver(Response("1", "n1", {"a"}));
  stream().Written();
  verdict_.reset();
  stream().Deliver(Response("2", "n2", {"a"}));
  session_.Want(kClusters, {protocol::Interest::Names({"b"})});
  EXPECT_EQ(LastSent().nonce, "n1");
  session_.Adjust([](protocol::AdsSession& ads) { ads.SayInterestNow(kClusters); });
  EXPECT_THAT(LastSent().names, ElementsAre("*", "b"));
}

}  // namespace
}  // namespace xdscope::session
