#include "lib/base/type_url.h"

#include <gtest/gtest.h>

namespace xdscope::base {
namespace {

TEST(MessageName, FollowsTheLastSlash) {
  EXPECT_EQ(MessageName("type.googleapis.com/a.B"), "a.B");
  EXPECT_EQ(MessageName("x/y/a.B"), "a.B");
  EXPECT_EQ(MessageName("/a.B"), "a.B");
}

TEST(MessageName, IsTheWholeTextWithoutASlash) {
  EXPECT_EQ(MessageName("a.B"), "a.B");
  EXPECT_EQ(MessageName(""), "");
}

TEST(MessageName, IsEmptyBehindALastSlash) {
  EXPECT_EQ(MessageName("x/y/"), "");
  EXPECT_EQ(MessageName("/"), "");
}

}  // namespace
}  // namespace xdscope::base
