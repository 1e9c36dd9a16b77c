#include "cli/commands/validate/in_force.h"

#include <gmock/gmock.h>

#include "lib/finding/reading_rules.h"

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = base::FolderEvent::Kind;

constexpr char kStays[] = ": Envoy would not notice, and what it read before stays in force";

class InForceTest : public testing::Test {
 protected:
  // d/cds.yaml as it was written the n-th time.
  static WatchedFile File(std::uint64_t n, std::size_t refused = 0) {
    WatchedFile file;
    file.path = "d/cds.yaml";
    file.stamp = base::FileStamp{1, n, 1, 1, 1};
    file.refused = refused;
    return file;
  }
  std::vector<std::string> Take(const WatchedFile& file, const std::set<base::FolderEvent>& events = {}) {
    return in_force_.Take({file}, events);
  }

  const std::set<base::FolderEvent> moved_ = {{"d", "cds.yaml", Kind::kMovedHere}};
  const std::set<base::FolderEvent> touched_ = {{"d", "cds.yaml", Kind::kTouched}};
  InForce in_force_;
};

TEST_F(InForceTest, WhatIsThereAtFirstIsNoNewsAndNeitherIsWhatStays) {
  EXPECT_THAT(Take(File(1)), IsEmpty());
  EXPECT_THAT(Take(File(1), touched_), IsEmpty());
}

TEST_F(InForceTest, WhatIsMovedToItsPlaceIsLoadedAndWhatIsWrittenThereIsNot) {
  Take(File(1));
  EXPECT_THAT(Take(File(2), moved_), ElementsAre("d/cds.yaml: was moved here: Envoy would load it"));
  EXPECT_THAT(Take(File(3), touched_), ElementsAre(std::string("d/cds.yaml: was written in place") + kStays));
  EXPECT_THAT(Take(File(4), touched_), ElementsAre(std::string("d/cds.yaml: was written in place") + kStays));
}

TEST_F(InForceTest, WhatIsRefusedLeavesTheLastGoodOneInForce) {
  Take(File(1, 1));
  EXPECT_THAT(Take(File(2, 2), moved_),
              ElementsAre("d/cds.yaml: was moved here: Envoy would load it, and refuse what has 2 errors; "
                          "there was no good one before"));
  Take(File(3), touched_);  // which it does not read
  EXPECT_THAT(Take(File(4, 1), moved_), ElementsAre(HasSubstr("; there was no good one before")));
  Take(File(5), moved_);
  EXPECT_THAT(Take(File(6, 1), moved_), ElementsAre(HasSubstr("1 error; the last good one stays in force")));
}

TEST_F(InForceTest, ASwappedLinkIsNoticedByWatchedDirectory) {
  WatchedFile linked = File(1);
  linked.linked = true;
  Take(linked);
  linked.stamp = File(2).stamp;
  EXPECT_THAT(Take(linked, {{"d", "..data", Kind::kMovedHere}}),
              ElementsAre("d/cds.yaml: a link or folder was swapped: Envoy would load it, with `watched_directory`"));
  EXPECT_THAT(Take(File(3), {{".", "d", Kind::kMovedHere}}), ElementsAre(HasSubstr("was swapped")));
  EXPECT_THAT(Take(File(4), {{"d", "other", Kind::kMovedHere}}), ElementsAre(HasSubstr("written in place")));
}

TEST_F(InForceTest, FilesComeAndGo) {
  Take(File(1));
  EXPECT_THAT(in_force_.Take({}, {}), ElementsAre(std::string("d/cds.yaml: is gone") + kStays));
  EXPECT_THAT(in_force_.Take({}, {}), IsEmpty());
  EXPECT_THAT(Take(File(2), moved_), ElementsAre(HasSubstr("Envoy would load it")));
  WatchedFile other = File(1);
  other.path = "d/eds.yaml";
  EXPECT_THAT(in_force_.Take({File(2), other}, {}), ElementsAre("d/eds.yaml: is new"));
}

TEST_F(InForceTest, ABootstrapIsReadOnce) {
  WatchedFile file = File(1);
  file.is_bootstrap = true;
  Take(file);
  file.stamp = File(2).stamp;
  EXPECT_THAT(Take(file, moved_), ElementsAre(HasSubstr("reads its bootstrap when it starts")));
}

TEST(CountRefused, WhatEnvoyTakesAndDropsIsNotRefused) {
  client::JudgedFile file;
  for (const std::string_view rule : {finding::kUnknownFieldRule, finding::kSyntaxRule, finding::kDuplicateKeyRule}) {
    finding::Finding finding;
    finding.rule = rule;
    file.findings.push_back(finding);
  }
  file.findings.back().more = 7;
  EXPECT_EQ(CountRefused(file), 1);
  file.findings[1].severity = finding::Severity::kWarning;
  EXPECT_EQ(CountRefused(file), 0);
}

}  // namespace
}  // namespace xdscope::cli
