#include "lib/session/back_off.h"

#include <gtest/gtest.h>

namespace xdscope::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::Time kNow{};

BackOff::Settings Grpc() {
  return {.first = seconds(1), .most = seconds(3), .factor = 1.6, .jitter = 0.2};
}

TEST(BackOff, GrowsUpToItsLimit) {
  BackOff back_off(Grpc());
  EXPECT_EQ(back_off.Next(0.5, kNow), seconds(1));
  EXPECT_EQ(back_off.Next(0.5, kNow), milliseconds(1600));
  EXPECT_EQ(back_off.Next(0.5, kNow), milliseconds(2560));
  EXPECT_EQ(back_off.Next(0.5, kNow), seconds(3));
  EXPECT_EQ(back_off.Next(0.5, kNow), seconds(3));
}

TEST(BackOff, BeginsAnewAfterAReset) {
  BackOff back_off(Grpc());
  back_off.Next(0.5, kNow);
  back_off.Next(0.5, kNow);
  back_off.Reset();
  EXPECT_EQ(back_off.Next(0.5, kNow), seconds(1));
}

TEST(BackOff, JitterIsAPartOfTheWaitInEitherDirection) {
  EXPECT_EQ(BackOff(Grpc()).Next(0, kNow), milliseconds(800));
  EXPECT_EQ(BackOff(Grpc()).Next(1, kNow), milliseconds(1200));
}

TEST(BackOff, FullJitterIsAnythingUpToTheWait) {
  EXPECT_EQ(BackOff({}).Next(0, kNow), milliseconds(0));
  EXPECT_EQ(BackOff({}).Next(0.5, kNow), milliseconds(250));
  EXPECT_EQ(BackOff({}).Next(1, kNow), milliseconds(500));
}

}  // namespace
}  // namespace xdscope::session
