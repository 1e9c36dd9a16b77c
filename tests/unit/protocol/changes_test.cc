// What verdicts, interest and time change of what is held, as Changes tell it.
#include "lib/protocol/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

// A conversation whose first request was sent.
Conversation StartAsked(AdsSession::Options options, std::string_view type_url, Interest interest) {
  Conversation talk = Start(std::move(options), type_url, std::move(interest));
  talk.Sent();
  return talk;
}

Changes Answer(Conversation& talk, const Words& words, const Verdict& verdict = Verdict::Ack()) {
  absl::StatusOr<Changes> changes = talk->Answer(talk.Hear(words).id, verdict);
  EXPECT_TRUE(changes.ok());
  return changes.ok() ? *std::move(changes) : Changes();
}

auto Absent(std::string_view name) {
  return Field(&Absence::name, name);
}

TEST(ChangesTest, AnAckTellsWhatIsHeld) {
  Conversation talk = StartAsked(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  const Changes changes = Answer(talk, {kEds, "1", "1", Entries({"b"})});
  EXPECT_EQ(changes.type_url, kEds);
  EXPECT_THAT(changes.held, ElementsAre("b"));
  EXPECT_THAT(changes.lost, IsEmpty());
  EXPECT_THAT(changes.absent, IsEmpty());
}

TEST(ChangesTest, TheOrderInWhichResourcesComeDoesNotMatter) {
  Conversation talk = StartAsked(Conversation::Sotw(), kCds, Interest::Everything());
  Answer(talk, {kCds, "1", "1", Entries({"a", "b", "c", "d"})});
  EXPECT_THAT(Answer(talk, {kCds, "2", "2", Entries({"a", "b", "c", "d"})}).lost, IsEmpty());
  EXPECT_THAT(Answer(talk, {kCds, "3", "3", Entries({"d", "c", "b", "a"})}).lost, IsEmpty());
  EXPECT_THAT(Answer(talk, {kCds, "4", "4", Entries({"d", "x", "a"})}).lost, ElementsAre("b", "c"));
  EXPECT_THAT(Answer(talk, {kCds, "5", "5", Entries({"d", "a", "a"})}).lost, ElementsAre("x"));
  EXPECT_EQ(talk[kCds].Held("a")->version, "5");
  EXPECT_EQ(talk[kCds].Held("b"), nullptr);
}

TEST(ChangesTest, APreviewOfAnAnswerChangesNothing) {
  Conversation talk = StartAsked(Conversation::Sotw(), kCds, Interest::Everything());
  Answer(talk, {kCds, "1", "1", Entries({"a", "b"})});
  const Response second = talk.Hear({kCds, "2", "2", Entries({"a", "b"})});
  EXPECT_NE(talk->Preview(second.id), std::nullopt);
  EXPECT_EQ(talk[kCds].Held("a")->version, "1");
}

TEST(ChangesTest, WhatACompleteResponseLeavesOutIsLostOrAbsent) {
  Conversation talk = StartAsked(Conversation::Sotw(), kCds, Interest::EverythingAnd({"named", "never"}));
  Answer(talk, {kCds, "1", "1", Entries({"a", "named"})});
  const Changes changes = Answer(talk, {kCds, "2", "2", Entries({"b"})});
  EXPECT_THAT(changes.held, ElementsAre("b"));
  EXPECT_THAT(changes.lost, ElementsAre("a", "named"));
  EXPECT_THAT(changes.absent, ElementsAre(Absent("named")));
}

TEST(ChangesTest, AbsenceComesWithTheServersWords) {
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  const Changes changes = Answer(
      talk, {.type_url = kEds, .version = "s", .nonce = "1", .entries = {}, .removed = {"b"}, .errors = {{"a", 5}}});
  ASSERT_THAT(changes.absent, ElementsAre(Absent("b"), Absent("a")));
  EXPECT_EQ(changes.absent[0].words, "the server removed it");
  EXPECT_EQ(changes.absent[1].words, "the server says 5: for a reason");
}

TEST(ChangesTest, ANackTellsTheRefusedNames) {
  Conversation talk = StartAsked(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  const Changes changes = Answer(talk, {kEds, "1", "1", Entries({"a", "x"})}, Verdict::Nack("no"));
  EXPECT_THAT(changes.held, IsEmpty());
  EXPECT_THAT(changes.refused, ElementsAre("a"));
}

TEST(ChangesTest, ANackSettlesTheRemovalsOfItsResponseToo) {
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a", "b", "c"}));
  const Changes changes = Answer(talk, {kEds, "s", "1", Entries({"a@1"}), {"b"}}, Verdict::Nack("no"));
  EXPECT_THAT(changes.refused, ElementsAre("a", "b"));
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kOpen), ElementsAre("c"));
}

// The nameless resource may be any of the names that were asked for.
TEST(ChangesTest, ANackOfANamelessResourceSettlesEveryName) {
  Conversation talk = StartAsked(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  const Changes changes = Answer(talk, {kEds, "1", "1", Entries({""})}, Verdict::Nack("no"));
  EXPECT_THAT(changes.refused, ElementsAre("a", "b"));
}

// Also of those that were asked for, or lost, after every open name had been refused once.
TEST(ChangesTest, ANackOfANamelessResourceSettlesNamesThatAreOpenAgain) {
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  Answer(talk, {kEds, "1", "1", Entries({"a@1"})});
  EXPECT_THAT(Answer(talk, {kEds, "2", "2", Entries({""})}, Verdict::Nack("no")).refused, ElementsAre("b"));
  EXPECT_THAT(Answer(talk, {kEds, "2", "3", Entries({""})}, Verdict::Nack("no")).refused, IsEmpty());
  talk->SetInterest(kEds, Interest::Names({"a", "b", "c"}));
  talk.Sent();
  EXPECT_THAT(Answer(talk, {kEds, "2", "4", Entries({""})}, Verdict::Nack("no")).refused, ElementsAre("c"));
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  talk.Sent();
  EXPECT_THAT(Answer(talk, {kEds, "2", "1", Entries({""})}, Verdict::Nack("no")).refused, ElementsAre("b", "c"));
}

TEST(ChangesTest, APartialNackOfANamelessResourceSettlesEveryNameThatIsNotHeld) {
  Conversation talk = StartAsked(Conversation::Sotw(), kLds, Interest::Names({"a", "b"}));
  const Changes changes = Answer(talk, {kLds, "1", "1", Entries({"a", ""})}, Verdict::Partly("no", {""}));
  EXPECT_THAT(changes.held, ElementsAre("a"));
  EXPECT_THAT(changes.refused, ElementsAre("b"));
  EXPECT_THAT(changes.absent, IsEmpty());
}

TEST(ChangesTest, ANackOfACompleteResponseSettlesEveryName) {
  Conversation talk = StartAsked(Conversation::Sotw(), kCds, Interest::Names({"a", "b"}));
  EXPECT_THAT(Answer(talk, {kCds, "1", "1", Entries({"a"})}, Verdict::Nack("no")).refused, ElementsAre("a", "b"));
}

TEST(ChangesTest, APartialNackComparesNamesInNormalForm) {
  const std::string asked = "xdstp://x/T/one?a=1&b=1";
  const std::string spelled = "xdstp://x/T/one?b=1&a=1";
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({asked}));
  const Changes changes = Answer(talk, {kEds, "s", "1", Entries({spelled + "@1"})}, Verdict::Partly("no", {spelled}));
  EXPECT_THAT(changes.held, IsEmpty());
  EXPECT_THAT(changes.refused, ElementsAre(asked));
}

TEST(ChangesTest, AGlobIsAnsweredByItsMembers) {
  const std::string glob = "xdstp://x/T/dir/*";
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({glob}));
  const Changes changes = Answer(talk, {kEds, "s", "1", Entries({"xdstp://x/T/dir/one@1"})});
  EXPECT_THAT(changes.held, ElementsAre("xdstp://x/T/dir/one"));
  EXPECT_THAT(changes.answered, ElementsAre(glob));
  EXPECT_THAT(Answer(talk, {kEds, "s", "2", {}, {"xdstp://x/T/dir/one"}}).lost, ElementsAre("xdstp://x/T/dir/one"));
  EXPECT_EQ(talk[kEds].StateOf(glob), NameState::kOpen);
}

TEST(ChangesTest, AnAliasIsAnsweredByItsResource) {
  Conversation talk = StartAsked(Conversation::Delta(), kVhds, Interest::Names({"rc/a"}));
  const Changes changes =
      Answer(talk, {kVhds, "s", "1", {{.name = "rc/site", .version = "1", .aliases = {"rc/a", "rc/other"}}}});
  EXPECT_THAT(changes.held, ElementsAre("rc/site"));
  EXPECT_THAT(changes.answered, ElementsAre("rc/a"));
}

TEST(ChangesTest, WhatNothingAsksForAnyMoreIsLostWithTheRequestThatSaysSo) {
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  Answer(talk, {kEds, "s", "1", Entries({"a@1", "b@1"})});
  talk.Sent();
  talk->SetInterest(kEds, Interest::Names({"b"}));
  EXPECT_FALSE(talk->NextChanges());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS -[a]"));
  const std::optional<Changes> changes = talk->NextChanges();
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->type_url, kEds);
  EXPECT_THAT(changes->lost, ElementsAre("a"));
  EXPECT_FALSE(talk->NextChanges());
}

TEST(ChangesTest, WhatExpiresIsLostAtItsTime) {
  using std::chrono::seconds;
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  const Words words = {
      kEds, "s", "1", {{.name = "a", .version = "1", .ttl_seconds = 5}, {.name = "b", .version = "1"}}};
  const Response response = *talk->OnMessage(std::make_shared<const std::string>(DeltaBytes(words)), seconds(100));
  EXPECT_FALSE(talk->NextExpiry());  // it is not accepted yet
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_EQ(talk->NextExpiry(), seconds(105));
  talk->OnTime(seconds(104));
  EXPECT_FALSE(talk->NextChanges());
  talk->OnTime(seconds(105));
  const std::optional<Changes> changes = talk->NextChanges();
  ASSERT_TRUE(changes);
  EXPECT_THAT(changes->lost, ElementsAre("a"));
  EXPECT_EQ(talk[kEds].StateOf("a"), NameState::kOpen);
  EXPECT_EQ(talk[kEds].StateOf("b"), NameState::kHeld);
}

TEST(ChangesTest, AResourceThatComesWithoutATimeToLiveNoLongerExpires) {
  Conversation talk = StartAsked(Conversation::Delta(), kEds, Interest::Names({"a"}));
  Answer(talk, {kEds, "s", "1", {{.name = "a", .version = "1", .ttl_seconds = 5}}});
  EXPECT_TRUE(talk->NextExpiry());
  Answer(talk, {kEds, "s", "2", {{.name = "a", .version = "2"}}});
  EXPECT_FALSE(talk->NextExpiry());
}

}  // namespace
}  // namespace xdscope::protocol::testing
