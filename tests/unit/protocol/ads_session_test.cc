// The rules of reference/protocol.md B.0 to B.3 that the examples do not show.
#include "lib/protocol/ads_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Conversation Start(AdsSession::Options options, std::string_view type_url, const Interest& interest) {
  Conversation talk(std::move(options));
  talk->SetInterest(type_url, interest);
  talk->OnStreamOpened();
  return talk;
}

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

// ---- Verdicts.

TEST(AdsSession, AnAckRepeatsTheNonceAndTheNewVersion) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  EXPECT_THAT(talk.Accept({kCds, "v1", "n7", Entries({"a"})}), ElementsAre("V=v1 R=[] N=n7 T=CDS"));
  EXPECT_EQ(talk[kCds].version(), "v1");
  EXPECT_EQ(talk[kCds].nonce(), "n7");
  EXPECT_FALSE(talk[kCds].refused_last());
}

TEST(AdsSession, LeavesTheErrorOutOfLaterRequests) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a"})});
  EXPECT_THAT(talk.Refuse({kEds, "2", "2", Entries({"a"})}), ElementsAre("V=1 R=[a] N=2 T=EDS err{13 no}"));
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a,b] N=2 T=EDS"));
  EXPECT_TRUE(talk[kEds].refused_last());
}

TEST(AdsSession, AnswersOnce) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response response = talk.Hear({kEds, "1", "1", Entries({"a"})});
  EXPECT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_EQ(talk->Answer(response.id, Verdict::Nack("no")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(talk->Answer(ResponseId{99}, Verdict::Ack()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(talk.Sent().size(), 1u);
}

TEST(AdsSession, AChangeOfInterestWaitsForTheVerdictOnTheLatestResponseAlone) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a"})});
  talk.Hear({kEds, "2", "2", Entries({"a"})});  // never answered
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_THAT(talk.Accept({kEds, "3", "3", Entries({"a"})}), ElementsAre("V=3 R=[a,b] N=3 T=EDS"));
  talk->SetInterest(kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[a] N=3 T=EDS"));
}

TEST(AdsSession, AnOlderResponseMayBeAnsweredAfterALaterOne) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response first = talk.Hear({kEds, "1", "1", Entries({"a"})});
  talk.Accept({kEds, "2", "2", Entries({"a"})});
  ASSERT_TRUE(talk->Answer(first.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a] N=1 T=EDS"));
}

TEST(AdsSession, OfResponsesThatNobodyAnswersTheOldestAreForgotten) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response first = talk.Hear({kEds, "1", "first", Entries({"a"})});
  std::optional<Response> last;
  for (std::size_t i = 0; i < Subscription::kMostPending; ++i) {
    last = talk.Hear({kEds, "1", std::to_string(i), Entries({"a"})});
  }
  EXPECT_EQ(talk->Answer(first.id, Verdict::Ack()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(talk->Answer(last->id, Verdict::Ack()).ok());
}

TEST(AdsSession, TheLatestNoncesOfAStreamAreRemembered) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  for (std::size_t i = 0; i <= Subscription::kMostNonces; ++i) talk.Accept({kEds, "1", std::to_string(i), {}});
  EXPECT_FALSE(talk[kEds].SawNonce("0"));
  EXPECT_TRUE(talk[kEds].SawNonce("1"));
  EXPECT_TRUE(talk[kEds].SawNonce(std::to_string(Subscription::kMostNonces)));
}

TEST(AdsSession, ANackSaysTheConfiguredCodeAndNoMoreTextThanAllowed) {
  AdsSession::Options options = Conversation::Sotw();
  options.nack_code = 3;
  options.error_limit = 4;
  Conversation talk = Start(options, kEds, Interest::Names({"a"}));
  talk.Sent();
  EXPECT_THAT(talk.Refuse({kEds, "1", "1", Entries({"a"})}, "abcé"), ElementsAre("V= R=[a] N=1 T=EDS err{3 abc}"));
  EXPECT_THAT(talk.Refuse({kEds, "1", "2", Entries({"a"})},
                          "a\xff"
                          "b"),
              ElementsAre("V= R=[a] N=2 T=EDS err{3 a?b}"));
}

TEST(AdsSession, ALimitOfZeroLeavesTheTextOfANackWhole) {
  AdsSession::Options options = Conversation::Sotw();
  options.error_limit = 0;
  Conversation talk = Start(options, kEds, Interest::Names({"a"}));
  talk.Sent();
  EXPECT_THAT(talk.Refuse({kEds, "1", "1", Entries({"a"})}, "bad"), ElementsAre("V= R=[a] N=1 T=EDS err{13 bad}"));
}

TEST(AdsSession, APartialNackAppliesTheRestAndSaysTheNewVersion) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a", "b", "c"})});
  const Response response = talk.Hear({kCds, "2", "2", Entries({"a", "b"})});
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Partly("bad b", {"b"})).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[] N=2 T=CDS err{13 bad b}"));
  EXPECT_THAT(talk[kCds].HeldNames(), ElementsAre("a", "b"));
  EXPECT_EQ(talk[kCds].Held("a")->version, "2");
  EXPECT_EQ(talk[kCds].Held("b")->version, "1");
}

TEST(AdsSession, APartialNackOfEverythingKeepsTheOldVersion) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a"})});
  const Response response = talk.Hear({kCds, "2", "2", Entries({"a"})});
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Partly("bad", {"a"})).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[] N=2 T=CDS err{13 bad}"));
}

// ---- What is held, absent, open.

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

// ---- Whose response it is.

TEST(AdsSession, ATypeThatWasNotAskedForGetsNoAnswer) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  const Response response = talk.Hear({kEds, "1", "1", Entries({"a"})});
  EXPECT_FALSE(response.expects_answer);
  EXPECT_EQ(talk->Answer(response.id, Verdict::Ack()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(AdsSession, AStreamOfOneTypeNeedsNoTypeUrlInItsResponses) {
  AdsSession::Options options = Conversation::Sotw();
  options.only_type = kEds;
  Conversation talk = Start(options, kEds, Interest::Names({"a"}));
  talk.Sent();
  Words words{"", "1", "1", Entries({"a"})};
  words.entries[0].type_url = kEds;
  const Response response = talk.Hear(words);
  EXPECT_EQ(response.type_url, kEds);
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a] N=1 T=EDS"));
}

TEST(AdsSession, KnowsATypeUnderAnotherPrefix) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  EXPECT_THAT(talk.Accept({"envoy.config.cluster.v3.Cluster", "1", "1", Entries({"a"})}),
              ElementsAre("V=1 R=[] N=1 T=CDS"));
}

TEST(AdsSession, NumbersResponsesAcrossStreams) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const Response first = talk.Hear({kEds, "1", "1", Entries({"a"})});
  EXPECT_TRUE(first.first);
  EXPECT_FALSE(talk.Hear({kEds, "2", "2", Entries({"a"})}).first);
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  talk.Sent();
  const Response later = talk.Hear({kEds, "3", "3", Entries({"a"})});
  EXPECT_TRUE(later.first);
  EXPECT_NE(first.id, later.id);
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

}  // namespace
}  // namespace xdscope::protocol::testing
