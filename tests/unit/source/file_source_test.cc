#include "lib/source/file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/response_parts.h"
#include "lib/schema/schema.h"
#include "tests/fake/messages.h"
#include "tests/unit/source/memory_folder.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kVhds;
using protocol::Interest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FileSourceTest : public testing::Test {
 protected:
  void SetUp() override { Make(FileSource::Life::kOneReading); }

  void Make(FileSource::Life life) {
    source_ = folder_.MakeSource(life);
    source_->Listen([this](Event event) {
      if (auto* update = std::get_if<Update>(&event)) {
        updates_.push_back(std::move(*update));
        if (answers_) changes_.push_back(*source_->Answer(*updates_.back().waiter, verdict_));
      } else if (auto* unchanged = std::get_if<session::Unchanged>(&event)) {
        unchanged_.push_back(std::move(unchanged->stream));
      } else if (auto* read = std::get_if<FilesRead>(&event)) {
        read_.push_back(std::move(*read));
      } else if (auto* closed = std::get_if<session::Closed>(&event)) {
        closed_.push_back(std::move(*closed));
      } else if (auto* changed = std::get_if<session::Changed>(&event)) {
        lost_.push_back(std::move(changed->changes));
      }
    });
  }

  void Want(std::string_view type_url, Interest interest) {
    source_->Want(type_url, {std::move(interest)});
    clock_.Advance({});
  }

  void ReadAgain(std::string_view type_url) {
    source_->ReadAgain(type_url);
    clock_.Advance({});
  }

  static std::vector<std::string> NamesOf(const Update& update) {
    std::vector<std::string> names;
    for (const resource::Resource& resource : update.resources) names.push_back(resource.name);
    return names;
  }

  static std::vector<std::string> AbsentIn(const protocol::Changes& changes) {
    std::vector<std::string> names;
    for (const protocol::Absence& absence : changes.absent) names.push_back(absence.name);
    return names;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  MemoryFolder folder_{clock_, types_};
  std::unique_ptr<FileSource> source_;
  protocol::Verdict verdict_ = protocol::Verdict::Ack();
  bool answers_ = true;
  std::vector<FilesRead> read_;
  std::vector<std::string> unchanged_;
  std::vector<Update> updates_;
  std::vector<protocol::Changes> changes_;
  std::vector<session::Closed> closed_;
  std::vector<protocol::Changes> lost_;
};

TEST_F(FileSourceTest, SaysOnceWhatTheFilesHold) {
  folder_.Put(kEds, {"e"});
  folder_.Put(kCds, {"a", "b"});
  Want(kCds, Interest::Everything());
  Want(kEds, Interest::Everything());
  ASSERT_THAT(read_, SizeIs(1));
  ASSERT_THAT(read_[0].types, SizeIs(2));
  EXPECT_EQ(read_[0].types[0].type_url, kCds);
  EXPECT_EQ(read_[0].types[0].count, 2U);
  EXPECT_EQ(read_[0].types[0].api, types::Api::kV3);
  EXPECT_EQ(read_[0].types[1].type_url, kEds);
  EXPECT_THAT(read_[0].notices, IsEmpty());
  EXPECT_EQ(folder_.files().reads(), 2);
}

TEST_F(FileSourceTest, EverythingIsWholeAndANameIsNot) {
  folder_.Put(kCds, {"a", "b"});
  Want(kCds, Interest::Names({"a"}));
  Want(kCds, Interest::Everything());
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_FALSE(updates_[0].whole);
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b"));  // the other was told
  EXPECT_FALSE(updates_[1].whole);
  Want(kEds, Interest::Everything());
  EXPECT_TRUE(updates_[2].whole);
  EXPECT_THAT(updates_[2].resources, IsEmpty());
}

TEST_F(FileSourceTest, ANameThatIsNotThereIsAbsentAtOnce) {
  folder_.Put(kEds, {"a"});
  Want(kEds, Interest::Names({"a", "b"}));
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(NamesOf(updates_[0]), ElementsAre("a"));
  ASSERT_THAT(updates_[0].absences, SizeIs(1));
  EXPECT_EQ(updates_[0].absences[0].name, "b");
  EXPECT_THAT(AbsentIn(changes_[0]), ElementsAre("b"));
  EXPECT_THAT(changes_[0].held, ElementsAre("a"));
}

TEST_F(FileSourceTest, ANameBesideEverythingIsAnsweredToo) {
  folder_.Put(kCds, {"a"});
  Want(kCds, Interest::Everything());
  Want(kCds, Interest::Names({"a", "b"}));
  ASSERT_THAT(changes_, SizeIs(2));
  EXPECT_THAT(updates_[1].resources, IsEmpty());
  EXPECT_THAT(changes_[1].held, ElementsAre("a"));
  EXPECT_THAT(AbsentIn(changes_[1]), ElementsAre("b"));
}

TEST_F(FileSourceTest, WhatWasWantedBeforeIsNotToldAgain) {
  folder_.Put(kEds, {"a", "b"});
  Want(kEds, Interest::Names({"a"}));
  Want(kEds, Interest::Names({"a"}));
  Want(kEds, Interest::Names({"a", "b"}));
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b"));
  EXPECT_EQ(updates_[0].version, updates_[1].version);  // that of the type
}

TEST_F(FileSourceTest, AnAliasAndAGlobAreAnsweredByWhatTheyStandFor) {
  folder_.files().Put("mesh/v.yaml", fmt::format(R"(
- '@type': type.googleapis.com/envoy.service.discovery.v3.Resource
  name: r/h
  aliases: [r/www]
  resource: {{'@type': '{}', name: h, domains: [h]}}
)",
                                                 kVhds));
  folder_.Put(kEds, {"xdstp://x/T/d/a", "xdstp://x/T/d/b", "xdstp://x/T/other/c"});
  Want(kVhds, Interest::Names({"r/www"}));
  Want(kEds, Interest::Names({"xdstp://x/T/d/*"}));
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[0]), ElementsAre("r/h"));
  EXPECT_THAT(updates_[0].resources[0].aliases, ElementsAre("r/www"));
  EXPECT_THAT(changes_[0].answered, ElementsAre("r/www"));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("xdstp://x/T/d/a", "xdstp://x/T/d/b"));
  EXPECT_THAT(changes_[1].answered, ElementsAre("xdstp://x/T/d/*"));
}

TEST_F(FileSourceTest, TheTimeToLiveOfAWrapperIsTold) {
  folder_.files().Put("mesh/e.yaml", fmt::format(R"(
- '@type': type.googleapis.com/envoy.service.discovery.v3.Resource
  name: a
  ttl: 1.5s
  resource: {{'@type': '{}', cluster_name: a}}
- {{'@type': '{}', cluster_name: b}}
)",
                                                 kEds, kEds));
  Want(kEds, Interest::Everything());
  ASSERT_THAT(updates_, SizeIs(1));
  ASSERT_THAT(NamesOf(updates_[0]), ElementsAre("a", "b"));
  EXPECT_EQ(updates_[0].resources[0].ttl, std::chrono::milliseconds(1500));
  EXPECT_EQ(updates_[0].resources[1].ttl, std::nullopt);
}

TEST_F(FileSourceTest, WhatIsTakenBackIsLostUnlessSomethingElseAsksForIt) {
  folder_.Put(kEds, {"a", "b"});
  Want(kEds, Interest::Names({"a", "b"}));
  source_->Want(kEds, {Interest::Nothing(), Interest::Names({"a"})});
  clock_.Advance({});
  ASSERT_THAT(lost_, SizeIs(1));
  EXPECT_THAT(lost_[0].lost, ElementsAre("a"));
  Want(kEds, Interest::Everything());
  source_->Want(kEds, {Interest::Nothing(), Interest::Everything()});
  clock_.Advance({});
  EXPECT_THAT(lost_[1].lost, ElementsAre("a"));
  EXPECT_THAT(updates_, SizeIs(2));
}

TEST_F(FileSourceTest, APartlyRefusedUpdateLeavesTheRest) {
  verdict_ = protocol::Verdict::Partly("no", {"a"});
  folder_.Put(kEds, {"a", "b"});
  Want(kEds, Interest::Names({"a", "b", "c"}));
  ASSERT_THAT(changes_, SizeIs(1));
  EXPECT_THAT(changes_[0].held, ElementsAre("b"));
  EXPECT_THAT(changes_[0].refused, ElementsAre("a"));
  EXPECT_THAT(AbsentIn(changes_[0]), ElementsAre("c"));
}

TEST_F(FileSourceTest, AFileThatIsPartlyGoodIsToldWithWhatIsWrong) {
  folder_.Put(kCds, {"a"});
  folder_.files().Put("mesh/b.yaml", "nonsense: [");
  Want(kCds, Interest::Everything());
  ASSERT_THAT(read_, SizeIs(1));
  ASSERT_THAT(read_[0].notices, SizeIs(1));
  EXPECT_THAT(ToText(read_[0].notices[0]), HasSubstr("mesh/b.yaml:1:"));
  EXPECT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(FileSourceTest, WhereNothingCanBeReadItCloses) {
  folder_.files().Put("mesh/b.yaml", "nonsense: [");
  Want(kCds, Interest::Everything());
  EXPECT_THAT(updates_, IsEmpty());
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].status.code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(source_->IsOpen(kCds));
  Want(kCds, Interest::Names({"a"}));
  EXPECT_THAT(updates_, IsEmpty());
  EXPECT_THAT(read_, SizeIs(1));
}

TEST_F(FileSourceTest, AFolderWithoutFilesIsAFailure) {
  folder_.files().Put("mesh/notes.txt", "hello");
  Want(kCds, Interest::Everything());
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].status.code(), absl::StatusCode::kNotFound);
}

TEST_F(FileSourceTest, AFileWithoutResourcesIsNone) {
  folder_.files().Put("mesh/a.yaml", "resources: []\n");
  Want(kCds, Interest::Everything());
  EXPECT_THAT(closed_, IsEmpty());
  EXPECT_THAT(updates_, SizeIs(1));
}

TEST_F(FileSourceTest, OfTwoOfOneNameTheFirstIsToldAndSoIsThat) {
  folder_.Put(kCds, {"a", "a"});
  Want(kCds, Interest::Everything());
  EXPECT_THAT(read_[0].duplicates, ElementsAre("cds a: is in cds.yaml:1 and in cds.yaml:2; the first counts"));
  EXPECT_THAT(NamesOf(updates_[0]), ElementsAre("a"));
}

class ManyReadingsTest : public FileSourceTest {
 protected:
  void SetUp() override { Make(FileSource::Life::kManyReadings); }

  // Puts clusters of these names, with a field that says when, in place of those that were there.
  void Replace(const std::vector<std::string>& names, std::string_view stat_name) {
    std::string text;
    for (const std::string& name : names) {
      text += fmt::format("- {{'@type': '{}', name: '{}', alt_stat_name: '{}'}}\n", kCds, name, stat_name);
    }
    folder_.files().Put("mesh/cds.yaml", text);
  }
  static std::vector<std::string> AbsencesIn(const Update& update) {
    std::vector<std::string> names;
    for (const Absence& absence : update.absences) names.push_back(absence.name);
    return names;
  }
};

TEST_F(ManyReadingsTest, TellsWhatCameChangedAndWent) {
  Replace({"a", "b", "c"}, "1");
  Want(kCds, Interest::Everything());
  EXPECT_TRUE(updates_.back().whole);
  folder_.files().Put("mesh/cds.yaml", fmt::format("- {{'@type': '{0}', name: a, alt_stat_name: '1'}}\n"
                                                   "- {{'@type': '{0}', name: b, alt_stat_name: '2'}}\n"
                                                   "- {{'@type': '{0}', name: d, alt_stat_name: '1'}}\n",
                                                   kCds));
  folder_.ReadMoved("cds.yaml");
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_FALSE(updates_[1].whole);
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b", "d"));
  EXPECT_THAT(AbsencesIn(updates_[1]), ElementsAre("c"));
  EXPECT_NE(updates_[0].version, updates_[1].version);
  EXPECT_THAT(changes_[1].held, ElementsAre("b", "d"));
  EXPECT_THAT(changes_[1].lost, ElementsAre("c"));
  EXPECT_THAT(read_, SizeIs(2));
}

TEST_F(ManyReadingsTest, NothingIsToldWhereNothingChanged) {
  Replace({"a"}, "1");
  folder_.Put(kEds, {"e"});
  Want(kCds, Interest::Everything());
  Replace({"a"}, "1");
  folder_.ReadMoved("cds.yaml");
  folder_.Put(kEds, {"e", "f"});
  folder_.ReadMoved("eds.yaml");  // which nobody wants
  EXPECT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(read_, SizeIs(2));
}

TEST_F(ManyReadingsTest, WhatIsWrittenInPlaceIsARemarkAndNoUpdate) {
  Replace({"a"}, "1");
  Want(kCds, Interest::Everything());
  Replace({"a"}, "2");
  folder_.ReadMoved("cds.yaml", base::FolderEvent::Kind::kTouched);
  EXPECT_THAT(updates_, SizeIs(1));
  ASSERT_THAT(read_, SizeIs(2));
  ASSERT_THAT(read_[1].notices, SizeIs(1));
  EXPECT_THAT(ToText(read_[1].notices[0]), HasSubstr("Envoy would not notice"));
}

TEST_F(ManyReadingsTest, ANameThatIsAbsentMayComeAndGo) {
  folder_.Put(kEds, {"a"});
  Want(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(AbsentIn(changes_[0]), ElementsAre("b"));
  folder_.Put(kEds, {"a", "b", "c"});
  folder_.ReadMoved("eds.yaml");
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b"));
  EXPECT_THAT(changes_[1].held, ElementsAre("b"));
  EXPECT_THAT(changes_[1].absent, IsEmpty());
  folder_.Put(kEds, {"b", "c"});
  folder_.ReadMoved("eds.yaml");
  ASSERT_THAT(updates_, SizeIs(3));
  EXPECT_THAT(AbsencesIn(updates_[2]), ElementsAre("a"));
  EXPECT_THAT(changes_[2].lost, ElementsAre("a"));
  EXPECT_THAT(AbsentIn(changes_[2]), ElementsAre("a"));
}

TEST_F(ManyReadingsTest, ATypeOfWhichEverythingWent) {
  Replace({"a"}, "1");
  folder_.Put(kEds, {"e"});
  Want(kCds, Interest::Everything());
  folder_.files().Put("mesh/cds.yaml", "resources: []\n");
  folder_.ReadMoved("cds.yaml");
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_TRUE(updates_[1].whole);
  EXPECT_THAT(AbsencesIn(updates_[1]), ElementsAre("a"));
}

TEST_F(ManyReadingsTest, WhatWasRefusedIsToldAgainWithTheNextChange) {
  Replace({"a", "b"}, "1");
  Want(kCds, Interest::Everything());
  verdict_ = protocol::Verdict::Nack("no");
  Replace({"a"}, "2");
  folder_.ReadMoved("cds.yaml");
  folder_.ReadMoved("cds.yaml");
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(changes_[1].lost, IsEmpty());
  verdict_ = protocol::Verdict::Ack();
  Replace({"a", "c"}, "2");
  folder_.ReadMoved("cds.yaml");
  ASSERT_THAT(updates_, SizeIs(3));
  EXPECT_THAT(NamesOf(updates_[2]), ElementsAre("a", "c"));
  EXPECT_THAT(changes_[2].lost, ElementsAre("b"));
}

TEST_F(ManyReadingsTest, GoesOnWhereAFileMayBecomeGood) {
  folder_.files().Put("mesh/cds.yaml", "nonsense: [");
  Want(kCds, Interest::Everything());
  EXPECT_THAT(closed_, IsEmpty());
  Replace({"a"}, "1");
  folder_.ReadMoved("cds.yaml");
  EXPECT_THAT(NamesOf(updates_.back()), ElementsAre("a"));
}

TEST_F(ManyReadingsTest, AnEmptyFolderMayGetFiles) {
  folder_.files().Put("mesh/notes.txt", "hello");
  Want(kCds, Interest::Everything());
  EXPECT_THAT(closed_, IsEmpty());
  Replace({"a"}, "1");
  folder_.ReadMoved("cds.yaml");
  EXPECT_THAT(NamesOf(updates_.back()), ElementsAre("a"));
}

TEST_F(ManyReadingsTest, WhereNothingIsItCloses) {
  Want(kCds, Interest::Everything());
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(ManyReadingsTest, EndsWhenItIsToldTo) {
  Replace({"a"}, "1");
  Want(kCds, Interest::Everything());
  source_->Finish();
  clock_.Advance({});
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_TRUE(closed_[0].status.ok());
  Replace({"a"}, "2");
  folder_.ReadMoved("cds.yaml");
  EXPECT_THAT(updates_, SizeIs(1));
}

// ---- Read by hand.

TEST_F(FileSourceTest, AReadingByHandTellsWhatIsThereNowOrThatNothingIsNewer) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  source_->Want(kCds, {Interest::Everything()});
  ReadAgain(kCds);
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(unchanged_, IsEmpty());
  ReadAgain(kCds);
  EXPECT_THAT(unchanged_, ElementsAre(kCds));
  folder_.Put(kCds, {"b"});
  ReadAgain(kCds);
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b"));
  EXPECT_THAT(changes_[1].lost, ElementsAre("a"));
  EXPECT_FALSE(source_->IsBusy());
}

TEST_F(FileSourceTest, WhatIsWantedBesidesIsAnsweredByTheReadingAlone) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  Want(kEds, Interest::Names({"e"}));
  folder_.Put(kCds, {"b"});
  source_->Want(kCds, {Interest::Everything()});
  EXPECT_TRUE(source_->IsBusy());
  ReadAgain(kCds);
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("b"));
}

TEST_F(FileSourceTest, WhatWasRefusedIsToldByTheNextReadingByHand) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  verdict_ = protocol::Verdict::Nack("no");
  Want(kCds, Interest::Everything());
  ReadAgain(kCds);
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("a"));
  EXPECT_EQ(source_->WantedOf(kCds)->verdict, protocol::Verdict::Kind::kNack);
}

TEST_F(FileSourceTest, WhatIsGoneStandsInTheBytes) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  Want(kCds, Interest::Everything());
  folder_.Put(kCds, {"b"});
  ReadAgain(kCds);
  const auto response = protocol::ReadResponse(protocol::Variant::kDelta, updates_.back().bytes);
  ASSERT_TRUE(response.ok());
  EXPECT_THAT(response->removed, ElementsAre("a"));
  ASSERT_THAT(updates_.back().absences, SizeIs(1));
  EXPECT_EQ(updates_.back().absences[0].words, "");
}

TEST_F(FileSourceTest, ItWatchesFromWhatIsThereNow) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  Want(kCds, Interest::Everything());
  EXPECT_FALSE(folder_.is_watched());
  folder_.Put(kCds, {"b"});
  EXPECT_TRUE(source_->SetWatching(true).ok());
  clock_.Advance({});
  EXPECT_TRUE(folder_.is_watched());
  ASSERT_THAT(updates_, SizeIs(2));
  EXPECT_TRUE(source_->SetWatching(false).ok());
  EXPECT_FALSE(folder_.is_watched());
}

TEST_F(FileSourceTest, AfterTheEndItOpensAgainAndTellsWhatNobodyAnswered) {
  folder_.Put(kCds, {"a"});
  Make(FileSource::Life::kManyReadings);
  answers_ = false;
  Want(kCds, Interest::Names({"a", "b"}));
  source_->Finish();
  clock_.Advance({});
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_FALSE(source_->IsOpen({}));
  source_->Want(kEds, {Interest::Names({"e"})});
  clock_.Advance({});
  ASSERT_THAT(updates_, SizeIs(1));
  source_->Open();
  clock_.Advance({});
  ASSERT_THAT(updates_, SizeIs(3));
  EXPECT_EQ(updates_[1].type_url, kCds);
  EXPECT_THAT(NamesOf(updates_[1]), ElementsAre("a"));
  ASSERT_THAT(updates_[1].absences, SizeIs(1));
  EXPECT_TRUE(source_->IsOpen({}));
}

TEST_F(FileSourceTest, WhatCannotBeReadFailsAgainUntilItIsThere) {
  Make(FileSource::Life::kManyReadings);
  for (const std::size_t times : {1U, 2U}) {
    source_->Open();
    clock_.Advance({});
    ASSERT_THAT(closed_, SizeIs(times));
    EXPECT_TRUE(read_.back().failed);
  }
  folder_.Put(kCds, {"a"});
  source_->Open();
  clock_.Advance({});
  EXPECT_THAT(closed_, SizeIs(2));
  EXPECT_FALSE(read_.back().failed);
}

TEST_F(FileSourceTest, ItKnowsTheNamesOfAType) {
  folder_.Put(kCds, {"b", "a"});
  Want(kEds, Interest::Names({"e"}));
  EXPECT_THAT(source_->NamesOf(kCds), ElementsAre("a", "b"));
  EXPECT_THAT(source_->NamesOf(kVhds), IsEmpty());
}

}  // namespace
}  // namespace xdscope::source
