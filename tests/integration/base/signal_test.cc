#include "lib/base/signal.h"

#include <gtest/gtest.h>

#include <csignal>

#include "lib/base/loop.h"

namespace xdscope::base {
namespace {

TEST(Signal, IsToldEachTimeOnTheLoop) {
  Loop loop;
  int times = 0;
  const Signal signal(loop, SIGWINCH, [&] {
    ++times;
    loop.Stop();
  });
  for (int i = 1; i <= 3; ++i) {
    raise(SIGWINCH);
    EXPECT_EQ(times, i - 1);
    loop.Run();
    EXPECT_EQ(times, i);
  }
}

TEST(Signal, IsGivenBack) {
  Loop loop;
  {
    const Signal signal(loop, SIGWINCH, [] { FAIL(); });
  }
  raise(SIGWINCH);
  loop.Post([&loop] { loop.Stop(); });
  loop.Run();
  struct sigaction action;
  ASSERT_EQ(sigaction(SIGWINCH, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace xdscope::base
