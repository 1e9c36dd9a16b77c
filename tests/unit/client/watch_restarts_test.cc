// A watch over a server that is killed and restarted at any moment, and over a day: nothing is lost, nothing is wrong,
// nobody is stormed and nothing grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <random>

#include "lib/client/watch.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/restarting_server.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Case {
  std::string_view name;
  types::Variant variant = types::Variant::kAds;
  bool fresh = false;
};

class WatchRestarts : public testing::TestWithParam<Case> {
 protected:
  WatchRestarts() {
    source::GrpcSource::Settings made;
    made.variant = GetParam().variant;
    made.reopening.emplace();
    made.reopening->chance = [this] { return std::uniform_real_distribution<>()(random_); };
    source_.emplace(clock_, channel_, types_, std::move(made));
    WatchSettings settings;
    settings.wants = {{std::string(kCds), {}, true, false}};
    settings.follow = true;
    settings.fresh = GetParam().fresh;
    Watch::Listener listener;
    listener.resource = [this](const ResourceEvent& event) { Note(event); };
    // With fresh streams the end of one is the end of all that was told.
    listener.event = [this](const source::Event& event) {
      if (GetParam().fresh && std::holds_alternative<session::Closed>(event)) told_.clear();
    };
    listener.over = [](const session::Closed& closed) { ADD_FAILURE() << "over: " << closed.status; };
    watch_.emplace(clock_, *source_, types_, std::move(settings), std::move(listener));
    for (int i = 0; i < 8; ++i) server_.Put(Name(i), ++version_);
    watch_->Start();
  }

  // What the events come to, as somebody would hold it who only hears them.
  void Note(const ResourceEvent& event) {
    auto& bodies = told_[std::string(event.type_url)];
    const std::string name(event.name);
    switch (event.kind) {
      case ResourceEvent::Kind::kAdded:
        EXPECT_TRUE(bodies.emplace(name, event.after->payload).second) << name;
        break;
      case ResourceEvent::Kind::kChanged:
        EXPECT_EQ(bodies.at(name), event.before->payload);
        bodies[name] = event.after->payload;
        break;
      case ResourceEvent::Kind::kRemoved:
        EXPECT_EQ(bodies.erase(name), 1u) << name;
        break;
      default:
        break;
    }
  }

  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  static std::string Name(int number) { return "cluster-" + std::to_string(number); }

  void ChangeSomething() {
    const std::string name = Name(Pick(8));
    Pick(4) == 0 ? server_.Drop(name) : server_.Put(name, ++version_);
  }
  void Exchange() {
    while (server_.Step()) continue;
  }
  // Time goes on, until the last wait for a new stream is over too.
  void Settle() {
    server_.Start();
    for (int i = 0; i < 120; ++i) {
      clock_.Advance(seconds(1));
      Exchange();
    }
  }
  fake::RestartingServer::Content Held() const {
    fake::RestartingServer::Content held;
    for (const auto& [type, state] : watch_->held().types()) {
      for (const auto& [name, resource] : state.resources) held[type][name] = resource.payload;
    }
    return held;
  }

  std::mt19937 random_{7};
  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::RestartingServer server_{
      channel_, clock_, types::IsDelta(GetParam().variant) ? protocol::Variant::kDelta : protocol::Variant::kSotw};
  int version_ = 0;
  std::optional<source::GrpcSource> source_;
  std::optional<Watch> watch_;
  fake::RestartingServer::Content told_;
};

TEST_P(WatchRestarts, AServerThatIsKilledTwoHundredTimesIsWatchedWithoutLoss) {
  for (int kills = 0; kills < 200;) {
    for (int steps = Pick(12); steps > 0; --steps) server_.Step();  // killed at any moment
    if (Pick(3) == 0) ChangeSomething();
    if (server_.is_up() && Pick(4) == 0) {
      server_.Kill();
      ++kills;
    } else if (!server_.is_up() && Pick(3) == 0) {
      server_.Start();
    }
    clock_.Advance(milliseconds(Pick(400)));
  }
  Settle();
  EXPECT_EQ(Held(), server_.content());
  EXPECT_EQ(told_, server_.content());
  const auto& attempts = server_.attempts();
  EXPECT_GT(attempts.size(), 100u);
  for (std::size_t i = 10; i < attempts.size(); ++i) {
    EXPECT_GE(attempts[i] - attempts[i - 10], seconds(10)) << "eleven attempts in ten seconds";
  }
}

// A change every half minute, a restart every ten, for a day.
TEST_P(WatchRestarts, ADayLeavesNothingBehind) {
  std::size_t waiting = 0;
  std::size_t memory = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    for (int half = 0; half < 2; ++half) {
      ChangeSomething();
      for (int second = 0; second < 30; second += 5) {
        Exchange();
        clock_.Advance(seconds(5));
      }
    }
    if (minute % 10 == 9) {
      server_.Kill();
      server_.Start();
    }
    if (minute == 120) {
      waiting = clock_.waiting();
      memory = mallinfo2().uordblks;
    }
  }
  Settle();
  EXPECT_EQ(Held(), server_.content());
  EXPECT_LE(clock_.waiting(), waiting + 8);  // names that are waited for
  // The fakes note each stream and each attempt; 132 of them came since.
  EXPECT_LE(mallinfo2().uordblks, memory + 132 * 1024);
}

INSTANTIATE_TEST_SUITE_P(, WatchRestarts,
                         testing::Values(Case{"Sotw", types::Variant::kAds}, Case{"Delta", types::Variant::kDeltaAds},
                                         Case{"FreshSotw", types::Variant::kAds, true},
                                         Case{"FreshDelta", types::Variant::kDeltaAds, true}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace xdscope::client
