#include "lib/session/reopening_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/session/stream_session.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/unit/session/conversation.h"

namespace xdscope::session {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReopeningSessionTest : public testing::Test {
 protected:
  ReopeningSessionTest() {
    session_.Want(kClusters, {protocol::Interest::Names({"a"})});
    log_.on_response = [this] {
      EXPECT_TRUE(session_.Answer(log_.responses.back().id, protocol::Verdict::Ack()).ok());
    };
  }

  fake::FakeStream& stream() { return channel_.last(); }
  void Connect() {
    stream().Connect();
    stream().Written();
  }
  void Lose() { stream().Close(absl::UnavailableError("lost")); }

  std::unique_ptr<Session> MakeStream(Listener listener) {
    return std::make_unique<StreamSession>(protocol::AdsSession({}), channel_, "/ads", clock_, std::move(listener));
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  Log log_;
  ReopeningSession session_{[this](Listener listener) { return MakeStream(std::move(listener)); },
                            clock_,
                            {.back_off = {}, .chance = [] { return 1.0; }},
                            log_.listener()};
};

TEST_F(ReopeningSessionTest, ALostStreamIsOpenedAgainAfterTheBackOff) {
  session_.Open();
  Connect();
  Lose();
  EXPECT_EQ(log_.last_closed.reopens_in, milliseconds(500));
  clock_.Advance(milliseconds(499));
  EXPECT_THAT(channel_.streams(), SizeIs(1));
  clock_.Advance(milliseconds(1));
  EXPECT_THAT(channel_.streams(), SizeIs(2));
}

TEST_F(ReopeningSessionTest, TheNewStreamGoesOnWithNamesAndVersion) {
  session_.Open();
  Connect();
  stream().Deliver(Response("7", "n7", {"a"}));
  stream().Written();
  Lose();
  clock_.Advance(milliseconds(500));
  Connect();
  const protocol::Request request = Decoded(stream().written.back());
  EXPECT_EQ(request.version, "7");
  EXPECT_EQ(request.nonce, "");
  EXPECT_THAT(request.names, ElementsAre("a"));
}

TEST_F(ReopeningSessionTest, WaitsGrowUntilAResponseCame) {
  session_.Open();
  Lose();
  clock_.Advance(milliseconds(500));
  Lose();
  EXPECT_EQ(log_.last_closed.reopens_in, milliseconds(1000));
  clock_.Advance(milliseconds(1000));
  Connect();
  stream().Deliver(Response("1", "n1", {"a"}));
  Lose();
  EXPECT_EQ(log_.last_closed.reopens_in, milliseconds(500));
}

TEST_F(ReopeningSessionTest, AServerThatWillNeverDoIsNotAskedAgain) {
  for (const auto code : {absl::StatusCode::kUnimplemented, absl::StatusCode::kUnauthenticated,
                          absl::StatusCode::kPermissionDenied, absl::StatusCode::kInvalidArgument}) {
    EXPECT_FALSE(ReopeningSession::ReopensAfter(absl::Status(code, "")));
  }
  EXPECT_TRUE(ReopeningSession::ReopensAfter(absl::OkStatus()));
  EXPECT_TRUE(ReopeningSession::ReopensAfter(absl::DataLossError("")));
  session_.Open();
  stream().Close(absl::UnimplementedError("no such method"));
  EXPECT_FALSE(log_.last_closed.reopens_in);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ReopeningSessionTest, FinishEndsAnOpenSessionForGood) {
  session_.Open();
  Connect();
  session_.Finish();
  stream().Close();
  EXPECT_THAT(log_.closed, ElementsAre(absl::OkStatus()));
  EXPECT_FALSE(log_.last_closed.reopens_in);
}

TEST_F(ReopeningSessionTest, FinishWhileItWaitsIsToldLaterAndNothingIsOpened) {
  session_.Open();
  Lose();
  session_.Finish();
  EXPECT_THAT(log_.closed, SizeIs(1));
  clock_.Advance(milliseconds(5000));
  EXPECT_THAT(log_.closed, SizeIs(2));
  EXPECT_TRUE(log_.closed[1].ok());
  EXPECT_FALSE(log_.last_closed.reopens_in);
  EXPECT_THAT(channel_.streams(), SizeIs(1));
}

}  // namespace
}  // namespace xdscope::session
