#include "cli/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "cli/run.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::HasSubstr;

class WorkbenchTest : public testing::Test {
 protected:
  WorkbenchTest() : streams_(strings_.Get()) {}

  TestStreams strings_;
  Streams streams_;
  MessageOptions options_;
  LoadedTypes types_{schema::Schema::Builtin()};
  Workbench bench_{options_, types_, streams_};
};

TEST_F(WorkbenchTest, ASchemaThatIsNoneIsNamed) {
  strings_.files["my.binpb"] = "no descriptors";
  const std::vector<std::string> arguments = {"fetch", "localhost:1", "--schema=my.binpb"};
  EXPECT_EQ(cli::Run(arguments, streams_), 2);
  EXPECT_THAT(strings_.err, HasSubstr("my.binpb: "));
}

TEST_F(WorkbenchTest, RunsTheWorkUntilTheLoopStops) {
  bool started = false;
  bench_.Run({.start =
                  [&] {
                    started = true;
                    bench_.loop().Post([&] { bench_.loop().Stop(); });
                  },
              .out_of_time = [] { FAIL(); },
              .state = [] { return ""; },
              .waiting_for = [] { return ""; }});
  EXPECT_TRUE(started);
  EXPECT_FALSE(bench_.interrupted());
}

TEST_F(WorkbenchTest, SaysWhenTheTimeIsOver) {
  int over = 0;
  bench_.Run({.start = [] {},
              .max_time = std::chrono::milliseconds(1),
              .out_of_time =
                  [&] {
                    ++over;
                    bench_.loop().Stop();
                  },
              .state = [] { return ""; },
              .waiting_for = [] { return ""; }});
  EXPECT_EQ(over, 1);
}

TEST_F(WorkbenchTest, TheFirstSignalEndsTheWork) {
  bench_.Run({.start = [] { ASSERT_EQ(kill(getpid(), SIGTERM), 0); },
              .out_of_time = [] { FAIL(); },
              .state = [] { return ""; },
              .waiting_for = [] { return ""; }});
  EXPECT_TRUE(bench_.interrupted());
}

TEST_F(WorkbenchTest, ASignalWhileFilesAreWrittenIsNoted) {
  bench_.Run({.start = [&] { bench_.loop().Stop(); },
              .out_of_time = [] { FAIL(); },
              .state = [] { return ""; },
              .waiting_for = [] { return ""; }});
  bench_.BeginFiles();
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  while (!bench_.interrupted()) std::this_thread::yield();
}

TEST_F(WorkbenchTest, LeavesAtOnceWhereThereIsAProcessToEnd) {
  EXPECT_EQ(bench_.Leave(3), 3);
  int left_with = -1;
  streams_.leave = [&](int code) { left_with = code; };
  bench_.Leave(4);
  EXPECT_EQ(left_with, 4);
}

}  // namespace
}  // namespace xdscope::cli
