// Which requests a session makes, and how it takes those of others: the rules of reference/protocol.md B.0 to B.2 that
// the examples do not show.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/ads_session.h"
#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- Before and between streams.

TEST(AdsSession, SaysNothingBeforeTheStreamIsOpen) {
  Conversation talk(Conversation::Sotw());
  talk->SetInterest(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, StaysSilentForATypeOfWhichNothingIsWanted) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk->SetInterest(kEds, Interest::Nothing());
  talk->SetInterest(kRds, Interest::Nothing());
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_EQ(talk->Find(kRds), nullptr);
}

TEST(AdsSession, SendsTheNodeInEveryRequestWhenToldSo) {
  AdsSession::Options options = Conversation::Sotw();
  options.node_in_every_request = true;
  Conversation talk = Start(options, kCds, Interest::Everything());
  talk->SetInterest(kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS node{id:n1}", "V= R=[a] N= T=EDS node{id:n1}"));
}

TEST(AdsSession, KeepsFieldsOfANodeThatV3DoesNotHave) {
  AdsSession::Options options = Conversation::Sotw();
  const std::string build_version = "\x2a\x04v1.2";  // field 5, of v2
  options.node += build_version;
  AdsSession session(options);
  session.SetInterest(kCds, Interest::Everything());
  session.OnStreamOpened();
  EXPECT_THAT(session.NextRequest()->bytes, HasSubstr(build_version));
}

TEST(AdsSession, ForgetsVersionsWhenToldTo) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"x"}));
  talk.Sent();
  talk.Accept({kEds, "7", "k", Entries({"x"})});
  talk->OnStreamClosed();
  talk->Forget();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[x] N= T=EDS node{id:n1}"));
  EXPECT_EQ(talk[kEds].StateOf("x"), NameState::kOpen);
}

TEST(AdsSession, ForgetsWhatItHeldOnDeltaWhenToldTo) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"x"}));
  talk.Sent();
  talk.Accept({kEds, "", "1", Entries({"x@1"})});
  talk->OnStreamClosed();
  talk->Forget();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[x] node{id:n1}"));
}

TEST(AdsSession, DropsUnsentAnswersWithTheirStream) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"x"}));
  talk.Sent();
  const Response answered = talk.Hear({kEds, "1", "1", Entries({"x"})});
  const Response open = talk.Hear({kEds, "2", "2", Entries({"x"})});
  ASSERT_TRUE(talk->Answer(answered.id, Verdict::Ack()).ok());
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[x] N= T=EDS node{id:n1}"));
  EXPECT_EQ(talk->Answer(open.id, Verdict::Ack()).status().code(), absl::StatusCode::kNotFound);
}

TEST(AdsSession, ResumesDeltaWithoutWhatWasNeverReceived) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b", "c"}));
  talk.Sent();
  talk.Accept({kEds, "", "1", Entries({"a@1", "b@1"})});
  talk.Accept({kEds, "", "2", {}, {"b"}});
  talk->OnStreamClosed();
  talk->SetInterest(kEds, Interest::Names({"a", "b", "c", "d"}));
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[a,b,c,d] init{a:1} node{id:n1}"));
}

TEST(AdsSession, DoesNotResumeWhatIsNoLongerWanted) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk.Accept({kEds, "", "1", Entries({"a@1", "b@1"})});
  talk->OnStreamClosed();
  talk->SetInterest(kEds, Interest::Names({"b"}));
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[b] init{b:1} node{id:n1}"));
}

TEST(AdsSession, AnnouncesNothingOnTheFirstStreamOfADeltaSession) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "", "1", Entries({"a@1"})});
  talk->SetInterest(kEds, Interest::Nothing());
  talk.Sent();
  talk->SetInterest(kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[a]"));
}

// ---- How everything is said.

TEST(AdsSession, SaysTheExplicitWildcardWhenToldSo) {
  AdsSession::Options options = Conversation::Sotw();
  options.wildcard = Wildcard::kExplicit;
  EXPECT_THAT(Start(options, kCds, Interest::Everything()).Sent(), ElementsAre("V= R=[*] N= T=CDS node{id:n1}"));
  options.variant = Variant::kDelta;
  EXPECT_THAT(Start(options, kCds, Interest::Everything()).Sent(), ElementsAre("T=CDS +[*] node{id:n1}"));
}

TEST(AdsSession, SaysTheStarThatWasTyped) {
  EXPECT_THAT(Start(Conversation::Sotw(), kCds, Interest::Names({"*"})).Sent(),
              ElementsAre("V= R=[*] N= T=CDS node{id:n1}"));
  EXPECT_THAT(Start(Conversation::Delta(), kCds, Interest::Names({"*", "a"})).Sent(),
              ElementsAre("T=CDS +[*,a] node{id:n1}"));
}

TEST(AdsSession, ListsTheStarWithNamesBesideEverything) {
  EXPECT_THAT(Start(Conversation::Sotw(), kCds, Interest::EverythingAnd({"b", "a"})).Sent(),
              ElementsAre("V= R=[*,a,b] N= T=CDS node{id:n1}"));
}

TEST(AdsSession, SaysTheStarOnceNamesWereSaid) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[*] N= T=CDS"));
}

TEST(AdsSession, GoesBackToTheEmptyListOnANewStream) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kCds, Interest::Everything());
  talk.Sent();
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS node{id:n1}"));
}

TEST(AdsSession, LeavesALegacyWildcardByWayOfTheStar) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a"})});
  talk->SetInterest(kCds, Interest::Nothing());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[*] N=1 T=CDS", "V=1 R=[] N=1 T=CDS"));
  EXPECT_EQ(talk[kCds].held_count(), 0u);
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, LeavesALegacyWildcardForNamesAtOnce) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a", "b"})});
  talk->SetInterest(kCds, Interest::Names({"b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[b] N=1 T=CDS"));
  EXPECT_THAT(talk[kCds].HeldNames(), ElementsAre("b"));
}

TEST(AdsSession, EndsADeltaWildcardAndKeepsWhatIsWantedByName) {
  Conversation talk = Start(Conversation::Delta(), kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "", "1", Entries({"a@1", "b@1"})});
  talk->SetInterest(kCds, Interest::Names({"b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[b] -[*]"));
  EXPECT_THAT(talk[kCds].HeldNames(), ElementsAre("b"));
}

TEST(AdsSession, StartsADeltaWildcardLaterByTheStar) {
  Conversation talk = Start(Conversation::Delta(), kCds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kCds, Interest::EverythingAnd({"a"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[*]"));
}

TEST(AdsSession, HoldsAnAmbiguousNameThatTheWildcardTurnsOutToHave) {
  Conversation talk = Start(Conversation::Delta(), kCds, Interest::EverythingAnd({"a"}));
  talk.Sent();
  talk.Accept({kCds, "", "1", Entries({"a@1"})});
  talk->SetInterest(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS -[a]"));
  EXPECT_TRUE(talk[kCds].Held("a")->ambiguous);
  talk.Accept({kCds, "", "2", Entries({"a@1"})});
  EXPECT_FALSE(talk[kCds].Held("a")->ambiguous);
}

// ---- Changing interest.

TEST(AdsSession, SendsNothingForAnInterestThatIsTheSame) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk->SetInterest(kEds, Interest::Names({"b", "a", "b", ""}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk->SetInterest(kEds, Interest::Nothing());
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, SaysOnlyTheDifferenceInDelta) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk->SetInterest(kEds, Interest::Names({"b", "c"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[c] -[a]"));
}

TEST(AdsSession, DoesNotMentionANameThatCameAndWentUnsaid) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  talk->SetInterest(kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, HoldsBackAChangeUntilTheVerdict) {
  for (const auto& options : {Conversation::Sotw(), Conversation::Delta()}) {
    Conversation talk = Start(options, kEds, Interest::Names({"a"}));
    talk->SetInterest(kRds, Interest::Names({"r"}));
    talk.Sent();
    const Response response = talk.Hear({kEds, "1", "1", Entries({"a@1"})});
    talk->SetInterest(kEds, Interest::Names({"a", "b"}));
    EXPECT_THAT(talk.Sent(), IsEmpty());
    talk->SetInterest(kRds, Interest::Names({"r", "s"}));
    EXPECT_THAT(talk.Sent(), ElementsAre(HasSubstr("T=RDS")));  // other types go on
    ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
    EXPECT_THAT(talk.Sent(), ElementsAre(HasSubstr("b]")));  // with the ACK, not beside it
  }
}

TEST(AdsSession, SendsAnswersBeforeOtherRequests) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk->SetInterest(kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response clusters = talk.Hear({kCds, "1", "1", Entries({"a"})});
  const Response endpoints = talk.Hear({kEds, "1", "2", Entries({"a"})});
  talk->SetInterest(kLds, Interest::Everything());
  ASSERT_TRUE(talk->Answer(endpoints.id, Verdict::Ack()).ok());
  ASSERT_TRUE(talk->Answer(clusters.id, Verdict::Nack("no")).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a] N=2 T=EDS", "V= R=[] N=1 T=CDS err{13 no}", "V= R=[] N= T=LDS"));
}

TEST(AdsSession, SaysANameAgain) {
  Conversation delta = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  delta.Sent();
  ASSERT_TRUE(delta->Resubscribe(kEds, "b").ok());
  EXPECT_THAT(delta.Sent(), ElementsAre("T=EDS +[b]"));
  EXPECT_EQ(delta->Resubscribe(kEds, "c").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(delta->Resubscribe(kRds, "c").code(), absl::StatusCode::kNotFound);

  Conversation sotw = Start(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  sotw.Sent();
  ASSERT_TRUE(sotw->Resubscribe(kEds, "b").ok());
  EXPECT_THAT(sotw.Sent(), ElementsAre("V= R=[a,b] N= T=EDS"));
}

// ---- Requests by hand.

TEST(AdsSession, TakesARequestWrittenByHandForWhatItSays) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Hear({kEds, "1", "1", Entries({"a"})});
  Request by_hand;
  by_hand.type_url = kEds;
  by_hand.names = {"a", "b"};
  by_hand.version = "1";
  by_hand.nonce = "1";
  EncodeRequest(Variant::kSotw, "", &by_hand);
  const absl::StatusOr<Changes> changes = talk->OnRawRequest(by_hand.bytes);
  ASSERT_TRUE(changes.ok());
  EXPECT_THAT(changes->held, ElementsAre("a"));
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_EQ(talk[kEds].StateOf("a"), NameState::kHeld);
  EXPECT_EQ(talk[kEds].StateOf("b"), NameState::kOpen);
  EXPECT_EQ(talk[kEds].nonce(), "1");
  EXPECT_THAT(talk.Accept({kEds, "2", "2", Entries({"b"})}), ElementsAre("V=2 R=[a,b] N=2 T=EDS"));
  EXPECT_EQ(talk->OnRawRequest("\xff").status().code(), absl::StatusCode::kDataLoss);
}

TEST(AdsSession, TakesADeltaRequestWrittenByHandForADifference) {
  Conversation talk = Start(Conversation::Delta(), kCds, Interest::Everything());
  talk.Sent();
  Request by_hand;
  by_hand.type_url = kCds;
  by_hand.names = {"a"};
  EncodeRequest(Variant::kDelta, "", &by_hand);
  ASSERT_TRUE(talk->OnRawRequest(by_hand.bytes).ok());
  EXPECT_EQ(talk[kCds].interest(), Interest::EverythingAnd({"a"}));
  by_hand.names = {};
  by_hand.unsubscribe = {"*"};
  EncodeRequest(Variant::kDelta, "", &by_hand);
  ASSERT_TRUE(talk->OnRawRequest(by_hand.bytes).ok());
  EXPECT_EQ(talk[kCds].interest(), Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, WhatWaitedToBeSaidStillWaitsAfterADeltaRequestWrittenByHand) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk->Change(kEds, {.add = Interest::Names({"b", "c"}), .remove = Interest::Names({"a"})});
  Request by_hand;
  by_hand.type_url = kEds;
  by_hand.names = {"b"};
  EncodeRequest(Variant::kDelta, "", &by_hand);
  ASSERT_TRUE(talk->OnRawRequest(by_hand.bytes).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[c] -[a]"));
}

// ---- Changes of interest.

// What is forgotten is excused: a stream that lasts for weeks does not remember every name that it once had.
TEST(AdsSession, NamesTakenBackAreRememberedUpToANumber) {
  const auto take_back = [](std::size_t count) {
    Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"stays"}));
    talk.Sent();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("name-{}", i));
    talk->Change(kEds, {.add = Interest::Names(names)});
    talk.Sent();
    talk->Change(kEds, {.add = {}, .remove = Interest::Names(names)});
    talk.Sent();
    return talk[kEds].AskedFor("never");
  };
  EXPECT_EQ(take_back(Asking::kMostEarlier), WasAsked::kNever);
  EXPECT_EQ(take_back(Asking::kMostEarlier + 1), WasAsked::kEarlier);
}

TEST(AdsSession, AChangeSaysOnlyWhatChanges) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
  talk.Sent();
  talk->Change(kEds, {.add = Interest::Names({"c"}), .remove = Interest::Names({"a"})});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[c] -[a]"));
  EXPECT_EQ(talk[kEds].interest(), Interest::Names({"b", "c"}));
}

TEST(AdsSession, AChangeToWhatIsSoAlreadyIsNotSaid) {
  for (const auto& options : {Conversation::Sotw(), Conversation::Delta()}) {
    Conversation talk = Start(options, kEds, Interest::Names({"a"}));
    talk.Sent();
    talk->Change(kEds, {.add = Interest::Names({"a"}), .remove = Interest::Names({"b"})});
    EXPECT_THAT(talk.Sent(), IsEmpty());
  }
}

TEST(AdsSession, EverythingByItsOtherWordIsSaidInSotwAlone) {
  Conversation sotw = Start(Conversation::Sotw(), kCds, Interest::Everything());
  sotw.Sent();
  sotw->SetInterest(kCds, Interest::Names({"*"}));
  EXPECT_THAT(sotw.Sent(), ElementsAre("V= R=[*] N= T=CDS"));
  Conversation delta = Start(Conversation::Delta(), kCds, Interest::Everything());
  delta.Sent();
  delta->SetInterest(kCds, Interest::Names({"*"}));
  EXPECT_THAT(delta.Sent(), IsEmpty());
}

TEST(AdsSession, TakingEverythingBackLeavesTheNames) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::EverythingAnd({"a"}));
  talk.Sent();
  talk->Change(kCds, {.add = {}, .remove = Interest::Everything()});
  EXPECT_EQ(talk[kCds].interest(), Interest::Names({"a"}));
}

}  // namespace
}  // namespace xdscope::protocol::testing
