// Files in a conversation by hand: what is read waits for ack or nack, as a response does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/repl/completion.h"
#include "tests/unit/cli/commands/repl/repl_fixture.h"

namespace xdscope::cli {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class ReplFilesTest : public ReplTest {
 protected:
  ReplFilesTest() { folder_.Put(kCds, {"a", "b"}); }

  // Types a line and lets what it leads to happen.
  void Type(std::string_view line) {
    Do(line);
    repl_->Settle(std::chrono::seconds(1));
  }
  void Begin() {
    Type("open ./mesh");
    Type("sub cds");
  }
  const std::string& last() { return console_.announced.back(); }
  bool IsHeld(const std::string& name) { return (*repl_->Current())->held().Find(std::string(kCds), name) != nullptr; }
};

TEST_F(ReplFilesTest, WhatTheyHoldIsSaidAndNothingIsTakenThatWasNotAskedFor) {
  Type("open ./mesh");
  EXPECT_EQ(last(), "2: -- the files are read: 2 cds");
  EXPECT_EQ(repl_->Prompt(), "2 files ./mesh> ");
  EXPECT_THAT(Printed("streams"), HasSubstr("files"));
  EXPECT_EQ(Printed("show"), "");
}

TEST_F(ReplFilesTest, AReadingWaitsForItsAnswer) {
  Begin();
  EXPECT_THAT(last(), HasSubstr("2 resources (+2)"));
  EXPECT_THAT(last(), HasSubstr("waiting for ack or nack"));
  EXPECT_THAT(last(), Not(HasSubstr("nonce")));
  EXPECT_EQ(repl_->Prompt(), "2 files ./mesh 1 waiting> ");
  EXPECT_THAT(Printed("diff cds"), HasSubstr("+ cds:a"));
  EXPECT_THAT(Printed("state"), HasSubstr("waits"));
  EXPECT_FALSE(IsHeld("a"));
  Type("ack");
  EXPECT_TRUE(IsHeld("a"));
  EXPECT_THAT(last(), HasSubstr("in force: cds "));
  EXPECT_THAT(Printed("state"), HasSubstr("ACKED"));
  EXPECT_THAT(Printed("state cds"), HasSubstr("a     ACKED"));
}

TEST_F(ReplFilesTest, EachSubReadsWhatIsThereNow) {
  Begin();
  Type("ack");
  folder_.Put(kCds, {"b", "c"});
  clock_.Advance(std::chrono::hours(1));
  EXPECT_FALSE(folder_.is_watched());
  Type("sub cds");
  EXPECT_THAT(last(), HasSubstr("1 resource (+1 -1)"));
  Type("ack");
  EXPECT_TRUE(IsHeld("c"));
  EXPECT_FALSE(IsHeld("a"));
  EXPECT_THAT(Printed("diff cds"), HasSubstr("+ cds:c"));
  Type("sub cds");
  EXPECT_THAT(last(), HasSubstr("cds: nothing newer"));
}

TEST_F(ReplFilesTest, WhatIsRefusedLeavesWhatIsInForceAndIsReadAgain) {
  Begin();
  Type("ack");
  folder_.Put(kCds, {"c"});
  Type("sub cds");
  Type("nack no");
  EXPECT_THAT(last(), HasSubstr("in force: cds "));
  EXPECT_THAT(last(), HasSubstr("(2 resources)"));
  EXPECT_TRUE(IsHeld("a"));
  EXPECT_THAT(Printed("state"), HasSubstr("NACKED"));
  EXPECT_THAT(Printed("state cds"), HasSubstr("c     NACKED"));
  EXPECT_THAT(Fails("ack #2"), HasSubstr("sub reads them again"));
  Type("sub cds");
  EXPECT_THAT(last(), HasSubstr("waiting for ack or nack"));
  Type("ack");
  EXPECT_TRUE(IsHeld("c"));
  EXPECT_FALSE(IsHeld("a"));
}

TEST_F(ReplFilesTest, AutoWatchesAndAnswers) {
  Begin();
  Type("ack");
  Type("auto judge");
  EXPECT_TRUE(folder_.is_watched());
  folder_.Put(kCds, {"c"});
  folder_.ReadMoved("cds.yaml");
  EXPECT_THAT(last(), HasSubstr("1 resource (+1 -2)"));
  EXPECT_THAT(last(), EndsWith(": ACK"));
  EXPECT_TRUE(IsHeld("c"));
  Type("auto nack");
  folder_.Put(kCds, {"d"});
  folder_.ReadMoved("cds.yaml");
  EXPECT_THAT(last(), HasSubstr("NACK"));
  EXPECT_THAT(last(), HasSubstr("; in force: cds "));
  Type("auto off");
  EXPECT_FALSE(folder_.is_watched());
}

TEST_F(ReplFilesTest, WhatIsWrongWithAFileIsSaidAndItsLastGoodContentStays) {
  Begin();
  Type("ack");
  folder_.files().Put("mesh/cds.yaml", "{");
  Type("sub cds");
  EXPECT_THAT(console_.announced, Contains(HasSubstr("!! mesh/cds.yaml:")));
  EXPECT_THAT(last(), HasSubstr("nothing newer"));
  EXPECT_TRUE(IsHeld("a"));
}

TEST_F(ReplFilesTest, UnsubDropsAndReferencesAreFollowed) {
  Begin();
  Type("ack");
  Type("unsub cds a");
  EXPECT_TRUE(IsHeld("a"));  // as one of everything
  Type("unsub cds");
  EXPECT_FALSE(IsHeld("a"));
  folder_.files().Put("mesh/cds.yaml", fmt::format("- {{'@type': '{}', name: a, type: EDS, eds_cluster_config: "
                                                   "{{eds_config: {{ads: {{}}}}}}}}",
                                                   kCds));
  folder_.Put(kEds, {"a"});
  Type("follow on");
  Type("sub cds");
  Type("ack");
  repl_->Settle(std::chrono::seconds(1));
  EXPECT_THAT(last(), HasSubstr("<- EDS"));
}

TEST_F(ReplFilesTest, WhatMeansNothingForFilesSaysSo) {
  Begin();
  for (const std::string_view line : {"resub cds a", "send {}", "preview", "node id=x", "node", "request 1",
                                      "reopen --fresh", "sub cds --now", "nack no --code 3"}) {
    EXPECT_THAT(Fails(line), HasSubstr("means nothing for files, ")) << line;
  }
  EXPECT_THAT(Fails("open delta ./mesh"), HasSubstr("files have none"));
}

TEST_F(ReplFilesTest, AReadingThatWaitedIsThereAgainAfterReopen) {
  Begin();
  Type("reopen");
  EXPECT_THAT(last(), HasSubstr("2 resources (+2)"));
  EXPECT_EQ(repl_->Prompt(), "2 files ./mesh 1 waiting> ");
  Type("ack");
  EXPECT_TRUE(IsHeld("a"));
}

TEST_F(ReplFilesTest, NamesAndTypesOfTheFilesAreCompleted) {
  Type("open ./mesh");
  const Completion names = Complete(*repl_, "sub cds ");
  ASSERT_EQ(names.candidates.size(), 2U);
  EXPECT_EQ(names.candidates[0].text, "a");
  EXPECT_EQ(names.candidates[0].about, "in the files");
}

}  // namespace
}  // namespace xdscope::cli
