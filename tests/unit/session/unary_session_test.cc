#include "lib/session/unary_session.h"

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

protocol::AdsSession UnaryAds() {
  protocol::AdsSession::Options options;
  options.only_type = kClusters;
  options.unary = true;
  return protocol::AdsSession(std::move(options));
}

class UnarySessionTest : public testing::Test {
 protected:
  UnarySessionTest() {
    session_.Want(kClusters, {protocol::Interest::Names({"a"})});
    log_.on_response = [this] {
      if (!answers_) return;
      EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    };
  }

  fake::FakeStream& call() { return channel_.last(); }
  void Answer(std::string bytes) {
    call().Connect();
    call().Deliver(std::move(bytes));
    call().Close();
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  Log log_;
  bool answers_ = true;  // each response with an ACK, at once
  UnarySession session_{UnaryAds(), channel_, "/fetch", clock_, {}, log_.listener()};
};

TEST_F(UnarySessionTest, TheRequestIsOneCall) {
  session_.Open();
  ASSERT_THAT(channel_.streams(), SizeIs(1));
  EXPECT_EQ(call().method, "/fetch");
  EXPECT_TRUE(call().writes_done);
  EXPECT_THAT(Decoded(call().written.at(0)).names, ElementsAre("a"));
}

TEST_F(UnarySessionTest, AVerdictChangesWhatIsHeldAndSendsNothing) {
  session_.Open();
  Answer(Response("1", "", {"a"}));
  ASSERT_THAT(log_.responses, SizeIs(1));
  EXPECT_EQ(log_.responses[0].version, "1");
  EXPECT_THAT(channel_.streams(), SizeIs(1));
  EXPECT_THAT(log_.closed, IsEmpty());
  EXPECT_NE(session_.ads().Find(kClusters)->Held("a"), nullptr);
}

TEST_F(UnarySessionTest, ANameThatDidNotComeIsAbsent) {
  session_.Open();
  Answer(Response("1", "", {}));
  EXPECT_EQ(session_.ads().Find(kClusters)->StateOf("a"), protocol::NameState::kAbsent);
}

TEST_F(UnarySessionTest, NewInterestIsANewCallAfterTheOneUnderWay) {
  session_.Open();
  session_.Want(kClusters, {protocol::Interest::Names({"a", "b"})});
  EXPECT_THAT(channel_.streams(), SizeIs(1));
  Answer(Response("1", "", {"a"}));
  ASSERT_THAT(channel_.streams(), SizeIs(2));
  EXPECT_THAT(Decoded(call().written.at(0)).names, ElementsAre("a", "b"));
  Answer(Response("2", "", {"a", "b"}));
  EXPECT_THAT(channel_.streams(), SizeIs(2));
}

TEST_F(UnarySessionTest, AVerdictMayComeLater) {
  answers_ = false;
  session_.Open();
  Answer(Response("1", "", {"a"}));
  EXPECT_EQ(session_.ads().Find(kClusters)->Held("a"), nullptr);
  EXPECT_TRUE(session_.Answer(log_.responses[0].id, protocol::Verdict::Ack()).ok());
  EXPECT_NE(session_.ads().Find(kClusters)->Held("a"), nullptr);
}

TEST_F(UnarySessionTest, AskingAgainSaysTheAcceptedVersion) {
  session_.Open();
  Answer(Response("1", "", {"a"}));
  session_.AskAgain();
  ASSERT_THAT(channel_.streams(), SizeIs(2));
  EXPECT_EQ(Decoded(call().written.at(0)).version, "1");
  EXPECT_THAT(Decoded(call().written.at(0)).names, ElementsAre("a"));
  session_.AskAgain();  // after the call under way
  EXPECT_THAT(channel_.streams(), SizeIs(2));
  Answer(Response("2", "", {"a"}));
  EXPECT_THAT(channel_.streams(), SizeIs(3));
}

TEST_F(UnarySessionTest, AfterARefusalTheOldVersionIsSaid) {
  session_.Open();
  Answer(Response("1", "", {"a"}));
  answers_ = false;
  session_.AskAgain();
  Answer(Response("2", "", {"a"}));
  ASSERT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Nack("no")).ok());
  session_.AskAgain();
  EXPECT_EQ(Decoded(call().written.at(0)).version, "1");
}

TEST_F(UnarySessionTest, AFailedCallEndsTheSession) {
  session_.Open();
  call().Close(absl::UnimplementedError("no such method"));
  EXPECT_THAT(log_.closed, ElementsAre(absl::UnimplementedError("no such method")));
  EXPECT_FALSE(log_.last_closed.had_response);
}

TEST_F(UnarySessionTest, OkWithoutAnAnswerIsAnError) {
  session_.Open();
  call().Connect();
  call().Close();
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kInternal);
}

TEST_F(UnarySessionTest, BytesThatAreNoResponseEndTheSession) {
  session_.Open();
  Answer("\xff\xff");
  EXPECT_THAT(log_.unreadable, SizeIs(1));
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kDataLoss);
}

TEST_F(UnarySessionTest, FinishClosesLaterAndNotInsideTheCall) {
  session_.Open();
  log_.on_response = [&] { session_.Finish(); };
  Answer(Response("1", "", {"a"}));
  EXPECT_THAT(log_.closed, IsEmpty());
  clock_.Advance({});
  EXPECT_THAT(log_.closed, ElementsAre(absl::OkStatus()));
  EXPECT_TRUE(log_.last_closed.had_response);
}

TEST_F(UnarySessionTest, CancelDropsTheCallUnderWay) {
  session_.Open();
  session_.Cancel();
  EXPECT_TRUE(call().dropped);
  clock_.Advance({});
  ASSERT_THAT(log_.closed, SizeIs(1));
  EXPECT_EQ(log_.closed[0].code(), absl::StatusCode::kCancelled);
}

// ---- By hand.

TEST_F(UnarySessionTest, ARequestByHandIsACallOfItsOwn) {
  session_.Open();
  Answer(Response("1", "", {"a"}));
  protocol::Request request;
  request.type_url = kClusters;
  request.names = {"b"};
  protocol::EncodeRequest(protocol::Variant::kSotw, {}, &request);
  EXPECT_TRUE(session_.Send(request.bytes).ok());
  ASSERT_THAT(channel_.streams(), SizeIs(2));
  EXPECT_EQ(call().written.at(0), request.bytes);
}

TEST_F(UnarySessionTest, AnAdjustmentAsksAgain) {
  session_.Open();
  Answer(Response("1", "", {"a"}));
  session_.Adjust([](protocol::AdsSession& ads) { ads.Forget(); });
  ASSERT_THAT(channel_.streams(), SizeIs(2));
  EXPECT_EQ(Decoded(call().written.at(0)).version, "");
}

class PollTest : public UnarySessionTest {
 protected:
  PollTest() { polling_.Want(kClusters, {protocol::Interest::Names({"a"})}); }

  // The rules that are broken by an answer to the next poll.
  std::vector<std::string_view> Broken(std::string bytes) {
    polling_.AskAgain();
    Answer(std::move(bytes));
    EXPECT_TRUE(polling_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    std::vector<std::string_view> rules;
    for (const finding::Finding& finding : log_.responses.back().findings) rules.push_back(finding.rule);
    return rules;
  }

  UnarySession polling_{UnaryAds(), channel_, "/poll", clock_, {.empty_is_unchanged = true}, log_.listener()};
};

// XDS-R09.
TEST_F(PollTest, TheSameAnswerToAVersionThatWasSaidIsAFinding) {
  answers_ = false;
  polling_.Open();
  Answer(Response("1", "", {"a"}));
  EXPECT_TRUE(polling_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
  EXPECT_THAT(Broken(Response("1", "", {"a"})), testing::Contains("XDS-R09"));
  EXPECT_THAT(Broken(Response("1", "", {"a", "b"})), testing::Not(testing::Contains("XDS-R09")));
  EXPECT_THAT(Broken(Response("2", "", {"a", "b"})), testing::Not(testing::Contains("XDS-R09")));
  EXPECT_THAT(Broken(Response("2", "", {"a", "b"})), testing::Contains("XDS-R09"));
}

}  // namespace
}  // namespace xdscope::session
