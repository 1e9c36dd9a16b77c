// What a session knows of names after responses and verdicts: the rules of reference/protocol.md B.0 to B.2 that the
// examples do not show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/ads_session.h"
#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AdsSession, AFirstCompleteResponseWithoutANameSaysThatThereIsNone) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a"})});
  EXPECT_EQ(talk[kCds].StateOf("a"), NameState::kHeld);
  EXPECT_EQ(talk[kCds].StateOf("b"), NameState::kAbsent);
  EXPECT_THAT(talk[kCds].NamesIn(NameState::kAbsent), ElementsAre("b"));
  EXPECT_THAT(talk[kCds].NamesIn(NameState::kOpen), IsEmpty());
}

TEST(AdsSession, SilenceAboutANameThatTheServerMayNotHaveReadProvesNothing) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kCds, Interest::Names({"a", "b", "c"}));
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a"})});
  EXPECT_THAT(talk[kCds].NamesIn(NameState::kOpen), ElementsAre("b", "c"));
  // It has read the second request: it delivers what only that named.
  talk.Accept({kCds, "2", "2", Entries({"a", "b"})});
  EXPECT_EQ(talk[kCds].StateOf("c"), NameState::kAbsent);
}

TEST(AdsSession, ANameMissingFromALaterCompleteResponseIsGone) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a", "b"})});
  talk.Accept({kCds, "2", "2", Entries({"b"})});
  EXPECT_EQ(talk[kCds].StateOf("a"), NameState::kAbsent);
  EXPECT_NE(talk[kCds].WordsAbout("a"), "");
  talk.Accept({kCds, "3", "3", Entries({"a", "b"})});
  EXPECT_EQ(talk[kCds].StateOf("a"), NameState::kHeld);
  EXPECT_EQ(talk[kCds].WordsAbout("a"), "");
}

TEST(AdsSession, AnAbsentNameIsOpenAgainOnANewStream) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kCds, "1", "1", {}});
  talk->OnStreamClosed();
  EXPECT_EQ(talk[kCds].StateOf("a"), NameState::kAbsent);
  talk->OnStreamOpened();
  EXPECT_EQ(talk[kCds].StateOf("a"), NameState::kOpen);
}

TEST(AdsSession, AUnaryAnswerSpeaksForEveryNameAndIsNotAnswered) {
  AdsSession::Options options = Conversation::Sotw();
  options.only_type = kEds;
  options.unary = true;
  Conversation talk = Start(options, kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[a,b] N= T=EDS node{id:n1}"));
  const Response response = talk.Hear({kEds, "1", "", Entries({"a"})});
  EXPECT_THAT(response.findings, IsEmpty());
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_EQ(talk[kEds].StateOf("b"), NameState::kAbsent);
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a,b] N= T=EDS node{id:n1}"));
  EXPECT_EQ(talk[kEds].last_verdict(), Verdict::Kind::kAck);
}

TEST(AdsSession, AUnaryCallForOtherNamesAsksAnew) {
  AdsSession::Options options = Conversation::Sotw();
  options.only_type = kEds;
  options.unary = true;
  Conversation talk = Start(options, kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "", Entries({"a"})});
  talk->OnStreamClosed();
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[a,b] N= T=EDS node{id:n1}"));
}

TEST(AdsSession, KeepsResourcesOfOtherTypesThatAResponseDoesNotName) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a", "b"})});
  talk.Accept({kEds, "2", "2", {}});
  EXPECT_THAT(talk[kEds].HeldNames(), ElementsAre("a", "b"));
}

TEST(AdsSession, IgnoresWhatWasNotAskedFor) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response response = talk.Hear({kEds, "s", "1", Entries({"a@1", "z@1"})});
  EXPECT_FALSE(response.resources[0].unasked);
  EXPECT_TRUE(response.resources[1].unasked);
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk[kEds].HeldNames(), ElementsAre("a"));
}

TEST(AdsSession, ANameThatCameOnlyRefusedIsNotOpen) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a", "b", "c"}));
  talk.Sent();
  talk.Refuse({kEds, "1", "1", Entries({"a"})});
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kRefused), ElementsAre("a"));
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kOpen), ElementsAre("b", "c"));
  talk.Accept({kEds, "3", "3", Entries({"a"})});
  EXPECT_EQ(talk[kEds].StateOf("a"), NameState::kHeld);
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kRefused), IsEmpty());
}

TEST(AdsSession, TakesTheOldFormOfDoesNotExist) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "s", "1", {{.name = "a", .has_payload = false}}});
  EXPECT_EQ(talk[kEds].StateOf("a"), NameState::kAbsent);
}

TEST(AdsSession, ResourceErrorsSayWhatIsAbsentAndWhy) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"gone", "kept", "lost", "slow"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"kept", "lost"})});
  talk.Accept({.type_url = kEds,
               .version = "2",
               .nonce = "2",
               .entries = {},
               .removed = {},
               .errors = {{"gone", 5}, {"kept", 14}, {"lost", 7}, {"slow", 14}}});
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kAbsent), ElementsAre("gone", "lost", "slow"));
  EXPECT_EQ(talk[kEds].StateOf("kept"), NameState::kHeld);
  EXPECT_THAT(talk[kEds].WordsAbout("gone"), HasSubstr("for a reason"));
  EXPECT_THAT(talk[kEds].WordsAbout("kept"), HasSubstr("for a reason"));
  talk.Accept({kEds, "3", "3", Entries({"kept"})});
  EXPECT_EQ(talk[kEds].WordsAbout("kept"), "");
}

TEST(AdsSession, ARefusedResponseTakesNothingAway) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk.Accept({kEds, "s", "1", Entries({"a@1", "b@1"})});
  talk.Refuse({kEds, "s", "2", Entries({"a@2"}), {"b"}});
  EXPECT_THAT(talk[kEds].HeldNames(), ElementsAre("a", "b"));
  EXPECT_EQ(talk[kEds].Held("a")->version, "1");
}

TEST(AdsSession, AGlobIsHeldWithItsFirstMember) {
  const std::string glob = "xdstp://auth/envoy.config.endpoint.v3.ClusterLoadAssignment/dir/*?x=1&y=2";
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({glob}));
  talk.Sent();
  EXPECT_EQ(talk[kEds].StateOf(glob), NameState::kOpen);
  const std::string member = "xdstp://auth/envoy.config.endpoint.v3.ClusterLoadAssignment/dir/one?y=2&x=1";
  EXPECT_THAT(talk.Findings({kEds, "s", "1", Entries({member + "@1"})}), IsEmpty());
  EXPECT_EQ(talk[kEds].StateOf(glob), NameState::kHeld);
  EXPECT_EQ(talk[kEds].StateOf(member), NameState::kHeld);
}

TEST(AdsSession, AnAliasGoesWithItsResource) {
  Conversation talk = Start(Conversation::Delta(), kVhds, Interest::Names({"rc/a", "rc/b"}));
  talk.Sent();
  talk.Accept({kVhds, "s", "1", {{.name = "rc/site", .version = "1", .aliases = {"rc/a", "rc/b"}}}});
  EXPECT_THAT(talk[kVhds].NamesIn(NameState::kHeld), ElementsAre("rc/a", "rc/b"));
  talk->SetInterest(kVhds, Interest::Names({"rc/b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=VHDS -[rc/a]"));
  EXPECT_THAT(talk[kVhds].HeldNames(), ElementsAre("rc/site"));
  talk.Accept({kVhds, "s", "2", {}, {"rc/site"}});
  EXPECT_EQ(talk[kVhds].held_count(), 0u);
  EXPECT_EQ(talk[kVhds].StateOf("rc/b"), NameState::kOpen);
}

}  // namespace
}  // namespace xdscope::protocol::testing
