#include "cli/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::HasSubstr;

class WorkbenchTest : public testing::Test {
 protected:
  WorkbenchTest() : streams_(strings_.Get()) {}

  absl::StatusOr<std::unique_ptr<Workbench>> Make() { return Workbench::Make(options_, false, streams_); }

  TestStreams strings_;
  Streams streams_;
  ConnectOptions options_;
};

TEST_F(WorkbenchTest, ASchemaThatIsNoneIsNamed) {
  options_.schemas.push_back({"my.binpb", "no descriptors"});
  const auto bench = Make();
  ASSERT_FALSE(bench.ok());
  EXPECT_EQ(bench.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(base::Message(bench.status())), HasSubstr("my.binpb"));
}

TEST_F(WorkbenchTest, RunsTheWorkUntilTheLoopStops) {
  const auto bench = Make();
  ASSERT_TRUE(bench.ok()) << bench.status();
  bool started = false;
  (*bench)->Run({.start =
                     [&] {
                       started = true;
                       (*bench)->loop().Post([&] { (*bench)->loop().Stop(); });
                     },
                 .out_of_time = [] { FAIL(); },
                 .state = [] { return ""; },
                 .waiting_for = [] { return ""; }});
  EXPECT_TRUE(started);
  EXPECT_FALSE((*bench)->interrupted());
}

TEST_F(WorkbenchTest, SaysWhenTheTimeIsOver) {
  options_.max_time = std::chrono::milliseconds(1);
  const auto bench = Make();
  ASSERT_TRUE(bench.ok()) << bench.status();
  int over = 0;
  (*bench)->Run({.start = [] {},
                 .out_of_time =
                     [&] {
                       ++over;
                       (*bench)->loop().Stop();
                     },
                 .state = [] { return ""; },
                 .waiting_for = [] { return ""; }});
  EXPECT_EQ(over, 1);
}

TEST_F(WorkbenchTest, LeavesAtOnceWhereThereIsAProcessToEnd) {
  const auto bench = Make();
  ASSERT_TRUE(bench.ok()) << bench.status();
  EXPECT_EQ((*bench)->Leave(3), 3);
  int left_with = -1;
  streams_.leave = [&](int code) { left_with = code; };
  (*bench)->Leave(4);
  EXPECT_EQ(left_with, 4);
}

}  // namespace
}  // namespace xdscope::cli
