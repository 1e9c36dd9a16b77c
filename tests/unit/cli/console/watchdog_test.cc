#include "cli/console/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <future>

namespace xdscope::cli {
namespace {

using Reason = Watchdog::Reason;

// What the watchdog's thread did, once it has.
template <typename T>
class Awaited {
 public:
  void Set(T value) { promise_.set_value(value); }
  T Get() { return promise_.get_future().get(); }

 private:
  std::promise<T> promise_;
};

// Signals go to the process, as those of a terminal do.
void Send(int number) {
  ASSERT_EQ(kill(getpid(), number), 0);
}

TEST(Watchdog, TheFirstSignalRunsTheTaskAndTheSecondEndsTheProcess) {
  Awaited<int> asked;
  Awaited<Reason> ended;
  Watchdog dog([&](Reason reason) { ended.Set(reason); });
  dog.OnFirstSignal([&](int number) { asked.Set(number); });
  Send(SIGINT);
  EXPECT_EQ(asked.Get(), SIGINT);
  Send(SIGTERM);
  EXPECT_EQ(ended.Get(), Reason::kInterrupted);
}

TEST(Watchdog, WithoutATaskTheFirstSignalEndsTheProcess) {
  Awaited<Reason> ended;
  Watchdog dog([&](Reason reason) { ended.Set(reason); });
  dog.OnFirstSignal([](int) { FAIL(); });
  dog.OnFirstSignal({});
  Send(SIGTERM);
  EXPECT_EQ(ended.Get(), Reason::kInterrupted);
}

TEST(Watchdog, ATimeThatIsOverEndsTheProcess) {
  Awaited<Reason> ended;
  Watchdog dog([&](Reason reason) { ended.Set(reason); });
  dog.EndAt(std::chrono::steady_clock::now());
  EXPECT_EQ(ended.Get(), Reason::kOutOfTime);
}

TEST(Watchdog, SignalsGivenBackHaveTheirOldMeaning) {
  const auto interrupt_after_giving_back = [] {
    {
      const Watchdog dog([](Reason) {});
    }
    Send(SIGINT);
  };
  EXPECT_EXIT(interrupt_after_giving_back(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace xdscope::cli
