#include "cli/console/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    output_.write = [this](std::string_view text) { return drawn_ += text, true; };
  }
  static base::Time At(int milliseconds) { return base::Time() + std::chrono::milliseconds(milliseconds); }
  std::string Take() { return std::exchange(drawn_, {}); }

  OutputStream output_;
  std::string drawn_;
};

TEST_F(ProgressTest, DrawsLateAndNotTooOften) {
  Progress progress(output_, true, At(0));
  progress.Show("1 cluster", "eds", At(100));
  EXPECT_EQ(Take(), "");
  progress.Show("1 cluster", "eds", At(200));
  EXPECT_EQ(Take(), "\r\x1b[K1 cluster");
  progress.Show("2 clusters", "eds", At(250));
  EXPECT_EQ(Take(), "");
  progress.Show("3 clusters", "eds", At(300));
  EXPECT_EQ(Take(), "\r\x1b[K3 clusters");
  progress.Show("3 clusters", "eds", At(500));
  EXPECT_EQ(Take(), "") << "nothing changed";
}

TEST_F(ProgressTest, SaysWhatItWaitsForAfterTwoSeconds) {
  Progress progress(output_, true, At(0));
  progress.Show("1 cluster", "eds", At(1999));
  EXPECT_THAT(Take(), Not(HasSubstr("waiting")));
  progress.Show("1 cluster", "eds", At(2100));
  EXPECT_EQ(Take(), "\r\x1b[K1 cluster, waiting for eds");
}

TEST_F(ProgressTest, IsGoneWhenCleared) {
  {
    Progress progress(output_, true, At(0));
    progress.Clear();
    EXPECT_EQ(Take(), "") << "nothing was drawn";
    progress.Show("x", "", At(300));
    progress.Clear();
    EXPECT_EQ(Take(), "\r\x1b[Kx\r\x1b[K");
    progress.Show("y", "", At(500));
    Take();
  }
  EXPECT_EQ(Take(), "\r\x1b[K") << "and when it goes";
}

TEST_F(ProgressTest, FitsTheTerminalAndHarmlesslySo) {
  output_.width = 6;
  Progress progress(output_, true, At(0));
  progress.Show(
      "äöü\x1b"
      "abc",
      "", At(300));
  EXPECT_EQ(Take(), "\r\x1b[Käöü\\x");
}

TEST_F(ProgressTest, DrawsNothingWhenOff) {
  Progress progress(output_, false, At(0));
  progress.Show("x", "", At(5000));
  EXPECT_EQ(Take(), "");
}

TEST(CanRedraw, OnlyWhereALineCanBeDrawnOver) {
  TestStreams strings;
  Streams streams = strings.Get();
  streams.err.terminal = true;
  EXPECT_FALSE(CanRedraw(streams.err, streams)) << "no TERM";
  strings.environment["TERM"] = "xterm";
  EXPECT_TRUE(CanRedraw(streams.err, streams));
  EXPECT_FALSE(CanRedraw(streams.out, streams)) << "no terminal";
  strings.environment["TERM"] = "dumb";
  EXPECT_FALSE(CanRedraw(streams.err, streams));
}

}  // namespace
}  // namespace xdscope::cli
