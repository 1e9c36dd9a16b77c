#include "lib/finding/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::finding {
namespace {

using ::testing::SizeIs;

TEST(Sample, KeepsAHundredOfARuleAndCountsTheOthers) {
  Sample sample;
  for (int i = 0; i < 1000; ++i) {
    if (Finding* finding = sample.Add("XDS-S016")) finding->message = std::to_string(i);
  }
  ASSERT_THAT(sample.kept(), SizeIs(100));
  EXPECT_EQ(sample.kept().back().message, "99");
  EXPECT_EQ(sample.kept().back().more, 900u);
  EXPECT_EQ(CountOf(sample.kept()), 1000u);
}

TEST(Sample, KeepsFindingsOfAnotherRule) {
  Sample sample;
  for (int i = 0; i < 1000; ++i) sample.Add("XDS-S016");
  ASSERT_NE(sample.Add("XDS-S014"), nullptr);
  EXPECT_EQ(sample.kept().back().rule, "XDS-S014");
  EXPECT_EQ(CountOf(sample.kept()), 1001u);
}

TEST(Sample, ASampleOfSamplesCountsAll) {
  Sample one;
  for (int i = 0; i < 150; ++i) one.Add("XDS-S016");
  Sample all;
  for (int i = 0; i < 3; ++i) {
    for (const Finding& finding : one.kept()) all.Add(finding);
  }
  EXPECT_THAT(all.kept(), SizeIs(100));
  EXPECT_EQ(CountOf(all.kept()), 450u);
}

}  // namespace
}  // namespace xdscope::finding
