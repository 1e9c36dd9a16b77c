#include "lib/base/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Loop, TasksRunInTheOrderInWhichTheyWerePosted) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) loop.Post([&order, i] { order.push_back(i); });
  loop.Post([&loop] { loop.Stop(); });
  EXPECT_THAT(order, IsEmpty());
  loop.Run();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Loop, ATaskPostedByATaskRunsAfterTheOthers) {
  Loop loop;
  std::string order;
  loop.Post([&] {
    order += 'a';
    loop.Post([&] {
      order += 'c';
      loop.Stop();
    });
  });
  loop.Post([&] { order += 'b'; });
  loop.Run();
  EXPECT_EQ(order, "abc");
}

TEST(Loop, AnotherThreadMayPostWhileItWaits) {
  Loop loop;
  std::thread other;
  std::thread::id ran_on;
  loop.Post([&] {
    other = std::thread([&] {
      loop.Post([&] {
        ran_on = std::this_thread::get_id();
        loop.Stop();
      });
    });
  });
  loop.Run();
  other.join();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Loop, StopLetsWhatWasPostedAfterItWaitForTheNextRun) {
  Loop loop;
  int ran = 0;
  loop.Post([&] {
    ++ran;
    loop.Stop();
  });
  loop.Post([&] {
    ++ran;
    loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(ran, 1);
  loop.Run();
  EXPECT_EQ(ran, 2);
}

TEST(Loop, AStopBeforeRunLetsItReturnAtOnce) {
  Loop loop;
  loop.Stop();
  loop.Run();
  SUCCEED();
}

TEST(Loop, WhatWasPostedAndNotRunIsDroppedWithTheLoop) {
  auto held = std::make_shared<int>(1);
  {
    Loop loop;
    loop.Post([held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace xdscope::base
