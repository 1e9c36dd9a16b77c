#include "lib/source/rest_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/status.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "lib/transport/http_status.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_http.h"
#include "tests/fake/messages.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kEds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string Body(std::string_view version, std::string_view name) {
  return R"({"version_info":")" + std::string(version) + R"(","resources":[{"name":")" + std::string(name) +
         R"(","@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster"}]})";
}

// A source over the channel, as a command has it.
class RestSource : public testing::Test {
 protected:
  void Make(bool goes_on = false) {
    GrpcSource::Settings settings;
    settings.variant = types::Variant::kRest;
    settings.session.node = "\n\x01n";
    settings.session.unary_says_refusal = says_refusal_;
    if (goes_on) {
      settings.polling = session::Polling{.every = seconds(5), .chance = [] { return 0.5; }};
      session::ReopeningSession::Options reopening;
      reopening.back_off = {.first = seconds(5), .most = seconds(30), .factor = 2, .jitter = 0};
      reopening.chance = [] { return 0.0; };
      settings.reopening = reopening;
    }
    auto channel = std::make_unique<RestChannel>(clock_, std::make_unique<fake::FakeHttp>(posts_), types_,
                                                 RestChannel::Settings{.url = "http://h:1"});
    source_.emplace(clock_, std::move(channel), types_, std::move(settings));
    source_->Listen([this](Event event) {
      if (auto* update = std::get_if<Update>(&event)) {
        EXPECT_TRUE(source_->Answer(*update->waiter, verdict_).ok());
        updates_.push_back(std::move(*update));
      } else if (auto* closed = std::get_if<session::Closed>(&event)) {
        closed_.push_back(std::move(*closed));
      } else if (std::holds_alternative<session::Unchanged>(event)) {
        ++unchanged_;
      }
    });
  }
  void WantClusters() { source_->Want(kCds, {protocol::Interest::Everything()}); }
  void Answer(int status, std::string text) {
    posts_.back().Answer(status, std::move(text));
    clock_.Advance({});
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  std::deque<fake::FakePost> posts_;
  std::optional<GrpcSource> source_;
  protocol::Verdict verdict_ = protocol::Verdict::Ack();
  std::vector<Update> updates_;
  std::vector<session::Closed> closed_;
  int unchanged_ = 0;
  bool says_refusal_ = false;
};

// XDS-R01, XDS-R13
TEST_F(RestSource, ATypeIsAPostToItsPath) {
  Make();
  WantClusters();
  ASSERT_THAT(posts_, SizeIs(1));
  EXPECT_EQ(posts_[0].path, "/v3/discovery:clusters");
  EXPECT_THAT(posts_[0].body, HasSubstr(R"("node":{"id":"n"})"));
  Answer(200, Body("1", "a"));
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_EQ(updates_[0].version, "1");
  EXPECT_TRUE(updates_[0].whole);  // XDS-R16
  EXPECT_TRUE(source_->IsOpen(kCds));
}

// XDS-R12
TEST_F(RestSource, WhatHasNoPathCannotBeAsked) {
  Make();
  EXPECT_TRUE(source_->CanAsk(kEds));
  EXPECT_FALSE(source_->CanAsk(fake::kVhds));
  EXPECT_FALSE(source_->CanAsk("type.googleapis.com/a.B"));
}

// XDS-R04, XDS-R05: the version of what was accepted, no nonce and no error_detail.
TEST_F(RestSource, APollSaysTheVersionThatWasAcceptedLast) {
  Make(true);
  WantClusters();
  EXPECT_THAT(posts_.back().body, Not(HasSubstr("version_info")));
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(10));
  EXPECT_THAT(posts_.back().body, HasSubstr(R"("version_info":"1")"));
  verdict_ = protocol::Verdict::Nack("no");
  Answer(200, Body("2", "a"));
  clock_.Advance(seconds(10));
  ASSERT_THAT(posts_, SizeIs(3));
  EXPECT_THAT(posts_.back().body, HasSubstr(R"("version_info":"1")"));
  EXPECT_THAT(posts_.back().body, Not(HasSubstr("error_detail")));
  EXPECT_THAT(posts_.back().body, Not(HasSubstr("nonce")));
}

// XDS-R04: the option, for whoever debugs a server.
TEST_F(RestSource, ARefusalIsSaidOnRequest) {
  says_refusal_ = true;
  Make(true);
  WantClusters();
  verdict_ = protocol::Verdict::Nack("no");
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(10));
  EXPECT_THAT(posts_.back().body, HasSubstr(R"("error_detail":{"code":13,"message":"no"})"));
  verdict_ = protocol::Verdict::Ack();
  Answer(200, Body("2", "a"));
  clock_.Advance(seconds(10));
  EXPECT_THAT(posts_.back().body, Not(HasSubstr("error_detail")));
}

// XDS-R06, XDS-R07: counted from completion, and by chance up to as much again later.
TEST_F(RestSource, PollsAfterTheDelayAndOneAtATime) {
  Make(true);
  WantClusters();
  clock_.Advance(seconds(60));
  EXPECT_THAT(posts_, SizeIs(1));
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(7));
  EXPECT_THAT(posts_, SizeIs(1));
  clock_.Advance(seconds(1));
  EXPECT_THAT(posts_, SizeIs(2));
}

// XDS-R02
TEST_F(RestSource, NotModifiedKeepsEverythingAndPollsOn) {
  Make(true);
  WantClusters();
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(8));
  Answer(304, "");
  EXPECT_EQ(unchanged_, 1);
  EXPECT_THAT(updates_, SizeIs(1));
  EXPECT_NE(source_->SessionOf(kCds)->ads().Find(kCds)->Held("a"), nullptr);
  clock_.Advance(seconds(8));
  EXPECT_THAT(posts_, SizeIs(3));
}

// XDS-R03, XDS-R18: config is kept, the polls go on, further apart each time.
TEST_F(RestSource, AFailureKeepsWhatIsHeldAndBacksOff) {
  Make(true);
  WantClusters();
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(8));
  Answer(503, "busy");
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(transport::HttpStatusOf(closed_[0].status), 503);
  EXPECT_EQ(closed_[0].reopens_in, seconds(5));
  clock_.Advance(seconds(5));
  Answer(200, "{");
  EXPECT_EQ(closed_[1].status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(closed_[1].reopens_in, seconds(10));
  clock_.Advance(seconds(10));
  EXPECT_THAT(posts_.back().body, HasSubstr(R"("version_info":"1")"));
  Answer(304, "");
  clock_.Advance(seconds(8));
  Answer(503, "busy");
  EXPECT_EQ(closed_[2].reopens_in, seconds(5));
  EXPECT_NE(source_->SessionOf(kCds)->ads().Find(kCds)->Held("a"), nullptr);
}

TEST_F(RestSource, WithoutPollingItAsksWhenMoreIsWanted) {
  Make();
  WantClusters();
  Answer(200, Body("1", "a"));
  clock_.Advance(seconds(60));
  EXPECT_THAT(posts_, SizeIs(1));
  source_->Want(kCds, {protocol::Interest::Names({"b"})});
  EXPECT_THAT(posts_, SizeIs(2));
}

TEST_F(RestSource, NotModifiedIsNoAnswerToTheFirstRequest) {
  Make();
  WantClusters();
  Answer(304, "");
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_THAT(base::Message(closed_[0].status), HasSubstr("said no version"));
}

TEST_F(RestSource, OtherStatusesSayHowTheBodyBegins) {
  Make();
  WantClusters();
  Answer(422, R"({"detail":[{"loc":["body","node","cluster"]}]})");
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(base::Message(closed_[0].status),
            R"(HTTP 422 Unprocessable Entity: "{"detail":[{"loc":["body","node","cluster"]}]}")");
}

TEST_F(RestSource, ARedirectSaysWhereTo) {
  Make();
  WantClusters();
  posts_.back().Answer(308, "x", {{"location", "https://other/\n"}});
  clock_.Advance({});
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(base::Message(closed_[0].status), R"(HTTP 308 Permanent Redirect to https://other/\n)");
}

TEST_F(RestSource, FinishGivesARequestUp) {
  Make();
  WantClusters();
  source_->Finish();
  EXPECT_TRUE(posts_[0].dropped);
  clock_.Advance({});
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_TRUE(closed_[0].status.ok());
}

}  // namespace
}  // namespace xdscope::source
