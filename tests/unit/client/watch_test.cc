#include "lib/client/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A watch of all clusters, written down as "+cds:a", "~cds:a", "-cds:a", "x" (expired), "?" (absent), "!" (refused).
class WatchTest : public testing::Test {
 protected:
  void Start(types::Variant variant = types::Variant::kAds) {
    source::GrpcSource::Settings made;
    made.variant = variant;
    made.reopening.emplace();
    made.reopening->chance = [] { return 0.5; };
    source_.emplace(clock_, channel_, types_, std::move(made));
    Watch::Listener listener;
    listener.resource = [this](const ResourceEvent& event) { Note(event); };
    listener.judged = [this](const auto&, const Judgement& judgement) {
      findings_ = judgement.findings.size();
      on_judged_();
    };
    listener.repeated = [this](const Repetition& repetition) { repetitions_.push_back(repetition.count); };
    listener.over = [this](const session::Closed& closed) { over_.push_back(closed.status); };
    if (settings_.wants.empty()) settings_.wants = {{std::string(kCds), {}, true, false}};
    watch_.emplace(clock_, *source_, types_, settings_, std::move(listener));
    watch_->Start();
    stream().Connect();
    Write();
  }

  void Note(const ResourceEvent& event) {
    constexpr std::string_view kMarks = "+~-x?!";
    events_.push_back(std::string(1, kMarks[static_cast<std::size_t>(event.kind)]) + std::string(event.name));
    EXPECT_EQ(event.before != nullptr, event.kind == ResourceEvent::Kind::kChanged ||
                                           event.kind == ResourceEvent::Kind::kRemoved ||
                                           event.kind == ResourceEvent::Kind::kExpired);
  }

  fake::FakeStream& stream() { return channel_.last(); }
  void Write() {
    while (stream().writing) stream().Written();
  }
  std::vector<std::string> Sotw(std::string_view version, std::vector<fake::Resource> resources) {
    return Hear(fake::Sotw({.type_url = kCds,
                            .version = std::string(version),
                            .nonce = std::string(version),
                            .resources = std::move(resources)}));
  }
  std::vector<std::string> Hear(std::string response) {
    events_.clear();
    stream().Deliver(std::move(response));
    Write();
    return events_;
  }
  static fake::Resource Cluster(std::string_view name, std::string_view more = {}) {
    return {.payload = fake::Payload(name, more)};
  }

  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  WatchSettings settings_;
  std::optional<source::GrpcSource> source_;
  std::optional<Watch> watch_;
  std::vector<std::string> events_;
  std::vector<absl::Status> over_;
  std::vector<std::uint64_t> repetitions_;
  std::size_t findings_ = 0;  // in the last response
  std::function<void()> on_judged_ = [] {};
};

TEST_F(WatchTest, EachChangeIsToldByItsResource) {
  Start();
  EXPECT_THAT(Sotw("1", {Cluster("a"), Cluster("b")}), ElementsAre("+a", "+b"));
  EXPECT_THAT(Sotw("2", {Cluster("a"), Cluster("b")}), IsEmpty());
  EXPECT_THAT(Sotw("3", {Cluster("a", fake::Field(28, "alt")), Cluster("c")}), ElementsAre("-b", "~a", "+c"));
  EXPECT_EQ(watch_->responses(), 3u);
}

TEST_F(WatchTest, WhatComesAgainIsFoundInAnyOrder) {
  Start();
  Sotw("1", {Cluster("a"), Cluster("b"), Cluster("c"), Cluster("d")});
  EXPECT_THAT(Sotw("2", {Cluster("a"), Cluster("b"), Cluster("c"), Cluster("d")}), IsEmpty());
  EXPECT_THAT(Sotw("3", {Cluster("d"), Cluster("c"), Cluster("b"), Cluster("a")}), IsEmpty());
  const std::string alt = fake::Field(28, "alt");
  EXPECT_THAT(Sotw("4", {Cluster("a"), Cluster("x"), Cluster("b", alt), Cluster("d")}), ElementsAre("-c", "+x", "~b"));
  EXPECT_THAT(Sotw("5", {Cluster("a"), Cluster("x"), Cluster("b", alt), Cluster("d")}), IsEmpty());
  EXPECT_THAT(Sotw("6", {Cluster("b", alt), Cluster("d")}), ElementsAre("-a", "-x"));
}

TEST_F(WatchTest, OfTwoResourcesOfOneNameTheFirstCountsWhicheverIsHeld) {
  Start();
  const std::string alt = fake::Field(28, "alt");
  Sotw("1", {Cluster("a")});
  EXPECT_THAT(Sotw("2", {Cluster("a"), Cluster("a", alt)}), IsEmpty());
  EXPECT_THAT(Sotw("3", {Cluster("a", alt), Cluster("a")}), ElementsAre("~a"));
}

TEST_F(WatchTest, WhatExpiresWhileItComesAgainIsTakenAnew) {
  Start(types::Variant::kDeltaAds);
  const auto hear = [this](std::string_view nonce) {
    return Hear(fake::Delta({.type_url = kCds,
                             .nonce = std::string(nonce),
                             .resources = {{.name = "a", .version = "1", .ttl_seconds = 60}}}));
  };
  EXPECT_THAT(hear("1"), ElementsAre("+a"));
  on_judged_ = [this] {
    source_->SessionOf(kCds)->Adjust([](protocol::AdsSession& ads) { ads.OnTime(std::chrono::hours(1000)); });
  };
  EXPECT_THAT(hear("2"), ElementsAre("xa", "+a"));
  EXPECT_NE(watch_->held().Find(std::string(kCds), "a"), nullptr);
}

TEST_F(WatchTest, WhatCannotBeDecodedIsFoundEachTimeThatItComes) {
  Start();
  const std::string cut_off = "\x22\x7f";
  for (const std::string_view version : {"1", "2"}) {
    Sotw(version, {Cluster("a", cut_off), Cluster("b")});
    EXPECT_EQ(findings_, 1u) << version;
  }
}

// What came is not read again: it lies where it lay, and the second response can go.
TEST_F(WatchTest, WhatComesAgainByteForByteStaysWhatItIs) {
  Start();
  Sotw("1", {Cluster("a"), Cluster("b")});
  const std::string_view before = watch_->held().Find(std::string(kCds), "a")->payload;
  EXPECT_THAT(Sotw("2", {Cluster("b", fake::Field(28, "alt")), Cluster("a")}), ElementsAre("~b"));
  EXPECT_EQ(watch_->held().Find(std::string(kCds), "a")->payload.data(), before.data());
}

TEST_F(WatchTest, WhatIsHeldSurvivesALostStream) {
  Start();
  Sotw("1", {Cluster("a"), Cluster("b")});
  stream().Close(absl::UnavailableError("gone"));
  clock_.Advance(std::chrono::minutes(1));
  stream().Connect();
  Write();
  EXPECT_EQ(protocol::DecodeRequest(protocol::Variant::kSotw, stream().written.front())->version, "1");
  EXPECT_THAT(Sotw("2", {Cluster("a")}), ElementsAre("-b"));
  EXPECT_THAT(over_, IsEmpty());
}

TEST_F(WatchTest, AServerThatNeverWillEndsIt) {
  Start();
  stream().Close(absl::UnimplementedError("no"));
  EXPECT_THAT(over_, ElementsAre(absl::UnimplementedError("no")));
}

TEST_F(WatchTest, ARefusedResponseChangesNothing) {
  settings_.judge.on_invalid = JudgePolicy::OnInvalid::kNack;
  Start();
  Sotw("1", {Cluster("a")});
  EXPECT_THAT(Sotw("2", {Cluster("b"), Cluster("b")}), ElementsAre("!b"));
  EXPECT_NE(watch_->held().Find(std::string(kCds), "a"), nullptr);
}

TEST_F(WatchTest, OfAPartlyRefusedResponseTheGoodPartIsTaken) {
  settings_.judge.on_invalid = JudgePolicy::OnInvalid::kPartial;
  Start();
  Sotw("1", {Cluster("a")});
  EXPECT_THAT(Sotw("2", {Cluster("b"), Cluster("b"), Cluster("c")}), ElementsAre("!b", "+c", "-a"));
}

// The server sends it every 3 ms: one NACK at once, later ones after 1, 2, 4, 5, 5 … seconds, one line a second.
TEST_F(WatchTest, AServerThatSendsWhatWasRefusedAgainIsNotFought) {
  settings_.judge.on_invalid = JudgePolicy::OnInvalid::kNack;
  Start();
  Sotw("1", {Cluster("b"), Cluster("b")});
  const auto nacks = [this] {
    return std::count_if(stream().written.begin(), stream().written.end(), [](const std::string& bytes) {
      return protocol::DecodeRequest(protocol::Variant::kSotw, bytes)->error.has_value();
    });
  };
  EXPECT_EQ(nacks(), 1);
  for (int i = 0; i < 5000; ++i) {  // 15 s
    clock_.Advance(std::chrono::milliseconds(3));
    Hear(fake::Sotw({.type_url = kCds,
                     .version = "1",
                     .nonce = "again" + std::to_string(i),
                     .resources = {Cluster("b"), Cluster("b")}}));
  }
  EXPECT_EQ(nacks(), 5);
  EXPECT_THAT(repetitions_, testing::SizeIs(15));
  EXPECT_EQ(watch_->responses(), 5001u);
  EXPECT_THAT(Sotw("2", {Cluster("c")}), ElementsAre("+c"));
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(nacks(), 5);  // what was held is no longer owed
}

// B.0-12
TEST_F(WatchTest, ANameThatNothingAnswersIsAbsentAndMayStillCome) {
  settings_.wants = {{std::string(kEds), {"a", "b"}, false, false}};
  Start();
  const auto endpoints = [this](std::string_view version, const std::string& name) {
    return Hear(fake::Sotw({.type_url = kEds,
                            .version = std::string(version),
                            .nonce = std::string(version),
                            .resources = fake::Named({name})}));
  };
  endpoints("1", "a");
  events_.clear();
  clock_.Advance(std::chrono::seconds(16));
  EXPECT_THAT(events_, ElementsAre("?b"));
  EXPECT_THAT(endpoints("2", "b"), ElementsAre("+b"));
}

// B.0-20: UNAVAILABLE keeps what is held, NOT_FOUND takes it away.
TEST_F(WatchTest, WhatTheServerCannotGiveIsToldWithItsWords) {
  settings_.wants = {{std::string(kEds), {"a", "b"}, false, false}};
  Start();
  Hear(fake::Sotw({.type_url = kEds, .version = "1", .nonce = "1", .resources = fake::Named({"a", "b"})}));
  EXPECT_THAT(Hear(fake::Sotw({.type_url = kEds,
                               .version = "2",
                               .nonce = "2",
                               .errors = {{.name = "a", .code = 14}, {.name = "b", .code = 5}}})),
              ElementsAre("?a", "-b", "?b"));
  EXPECT_NE(watch_->held().Find(std::string(kEds), "a"), nullptr);
}

TEST_F(WatchTest, AFreshStreamRemembersNothing) {
  settings_.fresh = true;
  Start();
  Sotw("1", {Cluster("a"), Cluster("b")});
  stream().Close(absl::OkStatus());
  clock_.Advance(std::chrono::minutes(1));
  stream().Connect();
  Write();
  EXPECT_EQ(protocol::DecodeRequest(protocol::Variant::kSotw, stream().written.front())->version, "");
  EXPECT_THAT(Sotw("1", {Cluster("a")}), ElementsAre("+a"));
}

TEST_F(WatchTest, ReferencesAreFollowedAsTheyComeAndGo) {
  settings_.follow = true;
  Start();
  const auto asked = [this] {
    for (auto request = stream().written.rbegin(); request != stream().written.rend(); ++request) {
      const auto read = protocol::DecodeRequest(protocol::Variant::kSotw, *request);
      if (read->type_url == kEds) return read->names;
    }
    return std::vector<std::string>();
  };
  const auto cluster = [](std::string_view name) {
    return fake::Resource{.payload = fake::EdsCluster(name, fake::AdsSource())};
  };
  Sotw("1", {cluster("a"), cluster("b")});
  EXPECT_THAT(asked(), ElementsAre("a", "b"));
  EXPECT_THAT(Hear(fake::Sotw({.type_url = kEds, .version = "1", .nonce = "e", .resources = fake::Named({"a", "b"})})),
              ElementsAre("+a", "+b"));
  EXPECT_THAT(Sotw("2", {cluster("b")}), ElementsAre("-a", "-a"));  // the cluster, and its endpoints
  EXPECT_THAT(asked(), ElementsAre("b"));
  EXPECT_EQ(watch_->held().Find(std::string(kEds), "a"), nullptr);
}

TEST_F(WatchTest, WhatExpiresIsToldAsThat) {
  Start(types::Variant::kDeltaAds);
  EXPECT_THAT(Hear(fake::Delta(
                  {.type_url = kCds, .nonce = "1", .resources = {{.name = "a", .version = "1", .ttl_seconds = 5}}})),
              ElementsAre("+a"));
  events_.clear();
  clock_.Advance(std::chrono::seconds(6));
  EXPECT_THAT(events_, ElementsAre("xa"));
}

TEST_F(WatchTest, WhatIsRemovedInDeltaIsTold) {
  Start(types::Variant::kDeltaAds);
  Hear(fake::Delta({.type_url = kCds, .nonce = "1", .resources = fake::Named({"a@1", "b@1"})}));
  EXPECT_THAT(Hear(fake::Delta({.type_url = kCds, .nonce = "2", .removed = {"a"}})), ElementsAre("-a"));
}

}  // namespace
}  // namespace xdscope::client
