#include "lib/client/absence_timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/fake_clock.h"

namespace xdscope::client {
namespace {

using protocol::Interest;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AbsenceTimersTest : public testing::Test {
 protected:
  void Want(std::vector<std::string> names) { timers_.OnWant(0, "t", {Interest::Names(std::move(names))}); }

  fake::FakeClock clock_;
  std::set<std::string> held_;
  std::vector<std::string> silent_;
  AbsenceTimers timers_{clock_, [this](const std::string&, const std::string& name) { return held_.contains(name); },
                        [this](const std::string&, const std::string& name) { silent_.push_back(name); }};
};

// B.0-12, gRFC A57.
TEST_F(AbsenceTimersTest, ANameThatNothingAnswersIsAbsentAfterFifteenSeconds) {
  timers_.OnConnected(0, "");
  Want({"a", "b"});
  timers_.OnChanges(0, {.type_url = "t", .held = {"a"}});
  clock_.Advance(seconds(14));
  EXPECT_THAT(silent_, IsEmpty());
  clock_.Advance(seconds(2));
  EXPECT_THAT(silent_, ElementsAre("b"));
}

TEST_F(AbsenceTimersTest, NobodyWaitsWithoutAConnection) {
  Want({"a"});
  clock_.Advance(seconds(20));
  EXPECT_THAT(silent_, IsEmpty());
  timers_.OnConnected(0, "");
  clock_.Advance(seconds(10));
  timers_.OnClosed(0, "");
  clock_.Advance(seconds(20));
  EXPECT_THAT(silent_, IsEmpty());
  EXPECT_EQ(clock_.waiting(), 0u);
}

TEST_F(AbsenceTimersTest, TheWaitBeginsAnewOnANewStreamForWhatIsNotHeld) {
  timers_.OnConnected(0, "");
  Want({"a", "b"});
  timers_.OnChanges(0, {.type_url = "t", .held = {"a"}});
  held_ = {"a"};
  timers_.OnClosed(0, "");
  timers_.OnConnected(0, "");
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, ElementsAre("b"));
}

TEST_F(AbsenceTimersTest, WhatIsNoLongerWantedIsNotMissed) {
  timers_.OnConnected(0, "t");
  Want({"a", "b"});
  timers_.OnWant(0, "t", {{}, Interest::Names({"a"})});
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, ElementsAre("b"));
}

TEST_F(AbsenceTimersTest, EveryKindOfAnswerIsOne) {
  timers_.OnConnected(0, "");
  Want({"alias", "absent", "refused"});
  timers_.OnChanges(0, {.type_url = "t", .answered = {"alias"}, .absent = {{"absent", ""}}, .refused = {"refused"}});
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, IsEmpty());
}

TEST_F(AbsenceTimersTest, ATypeOfWhichEverythingIsWantedIsAnsweredByAnyResponse) {
  timers_.OnConnected(0, "");
  timers_.OnWant(0, "t", {Interest::Everything()});
  timers_.OnWant(0, "u", {Interest::Everything()});
  timers_.OnResponse(0, "u");
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, ElementsAre(""));
}

TEST_F(AbsenceTimersTest, AStreamOfAnotherTypeSaysNothing) {
  timers_.OnConnected(0, "u");
  Want({"a"});
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, IsEmpty());
}

// Ever new names, each given up later, leave nothing behind.
TEST_F(AbsenceTimersTest, AStreamOfAnotherSourceSaysNothingThoughBothCarryAllTypes) {
  timers_.OnConnected(0, "");
  timers_.OnConnected(1, "");
  Want({"a"});
  timers_.OnWant(1, "t", {Interest::Names({"b"})});
  timers_.OnClosed(1, "");
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, ElementsAre("a"));
  timers_.OnConnected(1, "");
  clock_.Advance(seconds(16));
  EXPECT_THAT(silent_, ElementsAre("a", "b"));
}

TEST_F(AbsenceTimersTest, NothingGrowsWithTime) {
  timers_.OnConnected(0, "");
  for (int i = 0; i < 1000; ++i) {
    const std::string name = std::to_string(i);
    Want({name});
    timers_.OnChanges(0, {.type_url = "t", .held = {name}});
    timers_.OnWant(0, "t", {{}, Interest::Names({name})});
    clock_.Advance(seconds(16));
    EXPECT_EQ(clock_.waiting(), 0u);
  }
  EXPECT_THAT(silent_, IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
