// What every base::Clock promises: the loop, which waits, and the clock of tests, which is moved. Nothing here says how
// long anything takes: the loop may be late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/loop.h"
#include "tests/fake/fake_clock.h"

namespace xdscope::base {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

struct FakeTime {
  void RunUntil(Time when) { clock.Advance(when - clock.Now()); }
  fake::FakeClock clock;
};

struct LoopTime {
  // Runs what is due until `when`, and that too.
  void RunUntil(Time when) {
    const Timer end = clock.At(when + milliseconds(1), [this](Time) { clock.Stop(); });
    clock.Run();
  }
  Loop clock;
};

template <typename Driver>
class ClockContract : public ::testing::Test {
 protected:
  void RunUntil(Time when) { driver_.RunUntil(when); }

  Driver driver_;
  Clock& clock_ = driver_.clock;
  const Time start_ = clock_.Now();
};

struct DriverNames {
  template <typename Driver>
  static std::string GetName(int) {
    return std::is_same_v<Driver, FakeTime> ? "Fake" : "Loop";
  }
};
using Drivers = ::testing::Types<FakeTime, LoopTime>;
TYPED_TEST_SUITE(ClockContract, Drivers, DriverNames);

TYPED_TEST(ClockContract, RunsTasksInTheOrderOfTheirTimesOnceEach) {
  std::string order;
  const Timer late = this->clock_.At(this->start_ + milliseconds(2), [&](Time) { order += 'c'; });
  const Timer early = this->clock_.At(this->start_, [&](Time) { order += 'a'; });
  const Timer middle = this->clock_.At(this->start_ + milliseconds(1), [&](Time) { order += 'b'; });
  this->RunUntil(this->start_ + milliseconds(2));
  EXPECT_EQ(order, "abc");
}

TYPED_TEST(ClockContract, ATaskIsToldATimeThatIsNotBeforeItsOwn) {
  const Time due = this->start_ + milliseconds(1);
  std::vector<bool> reached;
  const Timer timer = this->clock_.After(milliseconds(1), [&](Time now) {
    reached = {now >= due, this->clock_.Now() >= now};
  });
  this->RunUntil(due + milliseconds(1));
  EXPECT_THAT(reached, ElementsAre(true, true));
}

TYPED_TEST(ClockContract, ATimeThatIsPastRunsTooButNotInsideTheCall) {
  bool ran = false;
  const Timer timer = this->clock_.At(this->start_ - milliseconds(5), [&](Time now) {
    ran = true;
    EXPECT_GE(now, this->start_);
  });
  EXPECT_FALSE(ran);
  this->RunUntil(this->start_);
  EXPECT_TRUE(ran);
}

TYPED_TEST(ClockContract, ATimerThatIsGoneDoesNotRun) {
  bool ran = false;
  const auto task = [&ran](Time) { ran = true; };
  Timer called_off = this->clock_.At(this->start_, task);
  { const Timer dropped = this->clock_.At(this->start_, task); }
  Timer replaced = this->clock_.At(this->start_, task);
  replaced = Timer();
  called_off.Cancel();
  called_off.Cancel();
  this->RunUntil(this->start_ + milliseconds(1));
  EXPECT_FALSE(ran);
}

TYPED_TEST(ClockContract, ATaskMayCallOffAnotherThatIsDueToo) {
  bool ran = false;
  Timer second = this->clock_.At(this->start_ - milliseconds(1), [&](Time) { ran = true; });
  const Timer first = this->clock_.At(this->start_ - milliseconds(2), [&](Time) { second.Cancel(); });
  this->RunUntil(this->start_);
  EXPECT_FALSE(ran);
}

TYPED_TEST(ClockContract, ATimerThatIsMovedStillRunsAndItsTaskMayCallItOff) {
  int ran = 0;
  Timer moved;
  Timer timer = this->clock_.At(this->start_, [&](Time) {
    ++ran;
    moved.Cancel();
  });
  moved = std::move(timer);
  this->RunUntil(this->start_);
  EXPECT_EQ(ran, 1);
}

TYPED_TEST(ClockContract, ATaskMaySetItsTimerAnew) {
  int ran = 0;
  Timer timer;
  const Clock::Task again = [&](Time now) {
    if (++ran < 3) timer = this->clock_.At(now, [&](Time later) { again(later); });
  };
  timer = this->clock_.At(this->start_, again);
  this->RunUntil(this->start_ + milliseconds(1));
  EXPECT_EQ(ran, 3);
}

TYPED_TEST(ClockContract, ATaskThatIsDueLaterWaits) {
  bool ran = false;
  const Timer timer = this->clock_.After(std::chrono::hours(1), [&](Time) { ran = true; });
  this->RunUntil(this->start_ + milliseconds(1));
  EXPECT_FALSE(ran);
}

TEST(FakeClock, RunsWhatIsDueAtItsOwnTime) {
  fake::FakeClock clock;
  const Time start = clock.Now();
  std::vector<Duration> at;
  const Timer first = clock.After(milliseconds(10), [&](Time now) { at.push_back(now - start); });
  const Timer never = clock.After(milliseconds(31), [&](Time now) { at.push_back(now - start); });
  clock.Advance(milliseconds(30));
  EXPECT_THAT(at, ElementsAre(milliseconds(10)));
  EXPECT_EQ(clock.Now() - start, milliseconds(30));
  EXPECT_EQ(clock.waiting(), 1U);
}

}  // namespace
}  // namespace xdscope::base
