// The server's half of SotW: the examples E1 to E10 of reference/protocol.md B.1 from its side, message for message (E8
// is in server_heartbeat_test.cc), and the rules behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/base/fields.h"
#include "tests/unit/protocol/server_talk.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Received::Kind;

ServerTalk Sotw() {
  return ServerTalk(Variant::kSotw);
}

// ---- Examples.

TEST(ServerSotwExample, E1FirstFetchAndAck) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"foo", "bar", "other"}, "X");
  EXPECT_THAT(talk.Say("V= R=[foo,bar] N= T=EDS node"), ElementsAre("V=X R=[bar,foo] N=1 T=EDS"));
  EXPECT_THAT(talk.Say("V=X R=[foo,bar] N=1 T=EDS"), IsEmpty());
  EXPECT_EQ(talk->node_id(), "n1");
}

TEST(ServerSotwExample, E2NackThenSuccess) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"foo@1", "bar@1"}, "X");
  talk.Say("V= R=[foo,bar] N= T=EDS");
  EXPECT_THAT(talk.Say("V= R=[foo,bar] N=1 T=EDS err"), IsEmpty());
  talk.Set(kEds, {"foo@2", "bar@1"}, "Y");
  // The client holds neither of what it refused.
  EXPECT_THAT(talk.Sent(), ElementsAre("V=Y R=[bar,foo] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("V=Y R=[foo,bar] N=2 T=EDS"), IsEmpty());
}

TEST(ServerSotwExample, E3NameChangeWithoutVersionChangeThenNack) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"A", "B"}, "1");
  EXPECT_THAT(talk.Say("V= R=[A] N= T=EDS"), ElementsAre("V=1 R=[A] N=1 T=EDS"));
  EXPECT_THAT(talk.Say("V=1 R=[A] N=1 T=EDS"), IsEmpty());
  EXPECT_THAT(talk.Say("V=1 R=[A,B] N=1 T=EDS"), ElementsAre("V=1 R=[B] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("V=1 R=[A,B] N=2 T=EDS err"), IsEmpty());
  // A, which is held, comes alone; B stays refused.
  talk.Set(kEds, {"A@2", "B"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[A] N=3 T=EDS"));
}

TEST(ServerSotwExample, E4RaceWithAStaleRequest) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"foo@1", "bar@1", "baz@1"}, "X");
  talk.Say("V= R=[foo] N= T=EDS");
  talk.Say("V=X R=[foo] N=1 T=EDS");
  talk.Set(kEds, {"foo@2", "bar@1", "baz@1"}, "Y");
  EXPECT_THAT(talk.Say("V=X R=[foo,bar] N=1 T=EDS"), ElementsAre("V=Y R=[bar,foo] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("V=X R=[foo,bar,baz] N=1 T=EDS"), IsEmpty());  // crossed: stale
  EXPECT_THAT(talk.Say("V=Y R=[foo,bar,baz] N=2 T=EDS"), ElementsAre("V=Y R=[baz] N=3 T=EDS"));
}

TEST(ServerSotwExample, E5FullStateAddAndDelete) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a", "b", "c"}, "1");
  EXPECT_THAT(talk.Say("V= R=[] N= T=CDS node"), ElementsAre("V=1 R=[a,b,c] N=1 T=CDS"));
  EXPECT_THAT(talk.Say("V=1 R=[] N=1 T=CDS"), IsEmpty());
  talk.Set(kCds, {"a", "b", "c", "d"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a,b,c,d] N=2 T=CDS"));
  EXPECT_THAT(talk.Say("V=2 R=[] N=2 T=CDS"), IsEmpty());
  talk.Set(kCds, {"a", "c", "d"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[a,c,d] N=3 T=CDS"));
  EXPECT_THAT(talk.Say("V=3 R=[] N=3 T=CDS"), IsEmpty());
}

TEST(ServerSotwExample, E6ExplicitWildcardLifeCycle) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"A@1", "B@1"}, "1");
  EXPECT_THAT(talk.Say("R=[] T=CDS"), ElementsAre("V=1 R=[A,B] N=1 T=CDS"));
  EXPECT_THAT(talk.Say("V=1 R=[*,A] N=1 T=CDS"), ElementsAre("V=1 R=[A,B] N=2 T=CDS"));  // A was asked for
  EXPECT_THAT(talk.Say("V=1 R=[A] N=2 T=CDS"), IsEmpty());
  talk.Set(kCds, {"A@1", "B@2"}, "2");
  EXPECT_THAT(talk.Sent(), IsEmpty());  // B is nobody's business now
  talk.Set(kCds, {"A@2", "B@2"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[A] N=3 T=CDS"));
  EXPECT_THAT(talk.Say("V=3 R=[] N=3 T=CDS"), IsEmpty());  // nothing, not everything
  talk.Set(kCds, {"A@3", "B@2"}, "4");
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerSotwExample, E7ReconnectDeliversWhatWasAdded) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"x", "y", "z"}, "7");
  EXPECT_THAT(talk.Say("V=7 R=[x,y,z] N= T=EDS node"), ElementsAre("V=7 R=[x,y,z] N=1 T=EDS"));
}

TEST(ServerSotwExample, E9MissingResourceCreatedLater) {
  ServerTalk talk = Sotw();
  talk.Set(kRds, {"A"}, "1");
  EXPECT_THAT(talk.Say("R=[A,B] T=RDS"), ElementsAre("V=1 R=[A] N=1 T=RDS"));
  EXPECT_THAT(talk.Say("V=1 R=[A,B] N=1 T=RDS"), IsEmpty());
  talk.Set(kRds, {"A", "B"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[B] N=2 T=RDS"));
}

TEST(ServerSotwExample, E10MakeBeforeBreak) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"X"}, "1");
  talk.Set(kEds, {"X"}, "1");
  talk.Set(kRds, {"r@x"}, "1");
  EXPECT_THAT(talk.Say("R=[] T=CDS"), ElementsAre("V=1 R=[X] N=1 T=CDS"));
  EXPECT_THAT(talk.Say("R=[X] T=EDS"), ElementsAre("V=1 R=[X] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("R=[r] T=RDS"), ElementsAre("V=1 R=[r] N=3 T=RDS"));
  talk.Set(kRds, {"r@y"}, "2");
  talk.Set(kEds, {"X", "Y"}, "2");
  talk.Set(kCds, {"X", "Y"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[X,Y] N=4 T=CDS", "V=2 R=[r] N=5 T=RDS"));
  EXPECT_THAT(talk.Say("V=1 R=[X,Y] N=2 T=EDS"), ElementsAre("V=2 R=[Y] N=6 T=EDS"));
  // The cluster goes after the route that pointed to it.
  talk.Set(kCds, {"Y"}, "3");
  talk.Set(kRds, {"r@z"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[r] N=7 T=RDS", "V=3 R=[Y] N=8 T=CDS"));
}

// ---- Full-state types.

TEST(ServerSotw, AnEmptyFirstResponseEndsTheWaitForEverything) {
  ServerTalk talk = Sotw();
  talk.Set(kLds, {}, "none");
  EXPECT_THAT(talk.Say("R=[] T=LDS"), ElementsAre("V=none R=[] N=1 T=LDS"));
  EXPECT_THAT(talk.Say("V=none R=[] N=1 T=LDS"), IsEmpty());
  EXPECT_THAT(talk.Say("R=[] T=CDS"), ElementsAre("V=0 R=[] N=2 T=CDS"));  // nothing is known of the type
}

TEST(ServerSotw, ANamedListenerThatDoesNotExistIsAnsweredByItsAbsence) {
  ServerTalk talk = Sotw();
  talk.Set(kLds, {"a"}, "1");
  EXPECT_THAT(talk.Say("R=[a,b] T=LDS"), ElementsAre("V=1 R=[a] N=1 T=LDS"));
  EXPECT_THAT(talk.Say("V=1 R=[b] N=1 T=LDS"), IsEmpty());
  EXPECT_THAT(talk.Say("V=1 R=[b,c] N=1 T=LDS"), ElementsAre("V=1 R=[] N=2 T=LDS"));
}

TEST(ServerSotw, NamedClustersAreSentAgainOnlyWhenTheyChange) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1", "b@1", "c@1"}, "1");
  EXPECT_THAT(talk.Say("R=[a,b] T=CDS"), ElementsAre("V=1 R=[a,b] N=1 T=CDS"));
  talk.Set(kCds, {"a@1", "b@1", "c@2"}, "2");
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk.Set(kCds, {"a@1", "b@2", "c@2"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[a,b] N=2 T=CDS"));
  talk.Set(kCds, {"a@1", "c@2"}, "4");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=4 R=[a] N=3 T=CDS"));
}

TEST(ServerSotw, WhatChangedAndChangedBackIsNotSent) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1"}, "1");
  talk.Say("R=[] T=CDS");
  talk.Set(kCds, {"a@2"}, "2");
  talk.Set(kCds, {"a@1"}, "1");
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerSotw, ARefusedStateIsNotSentAgain) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1"}, "1");
  talk.Say("R=[a] T=CDS");
  EXPECT_THAT(talk.Say("R=[a] N=1 T=CDS err"), IsEmpty());
  EXPECT_THAT(talk.Say("R=[a,none] N=1 T=CDS"), IsEmpty());  // the same state still
  talk.Set(kCds, {"a@1", "b@1"}, "2");
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_THAT(talk.Say("R=[a,b,none] N=1 T=CDS"), ElementsAre("V=2 R=[a,b] N=2 T=CDS"));
}

TEST(ServerSotw, ARefusedWildcardIsAnsweredByTheNextChange) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1"}, "1");
  talk.Say("R=[] T=CDS");
  for (int i = 0; i < 10; ++i) EXPECT_THAT(talk.Say("R=[] N=1 T=CDS err"), IsEmpty());
  talk.Set(kCds, {"a@2"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a] N=2 T=CDS"));
}

TEST(ServerSotw, EverythingAfterNamesIsSent) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a", "b"}, "1");
  EXPECT_THAT(talk.Say("R=[a] T=CDS"), ElementsAre("V=1 R=[a] N=1 T=CDS"));
  EXPECT_THAT(talk.Say("R=[a,*] N=1 T=CDS"), ElementsAre("V=1 R=[a,b] N=2 T=CDS"));
  EXPECT_THAT(talk.Say("R=[*] N=2 T=CDS"), IsEmpty());
}

TEST(ServerSotw, WhatIsNoLongerAskedForIsNotSaidToBeGone) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a"}, "1");
  talk.Set(kLds, {"l@1"}, "1");
  talk.Say("R=[a] T=CDS");
  talk.Say("R=[] T=LDS");
  talk.Set(kCds, {}, "2");
  talk.Set(kLds, {"l@2"}, "2");
  EXPECT_EQ(talk->Next(talk.cache(), Moment(0))->type_url, kLds);
  EXPECT_THAT(talk.Say("V=1 R=[] N=1 T=CDS"), IsEmpty());
}

// ---- Other types.

TEST(ServerSotw, SilenceWhileNoNameExists) {
  ServerTalk talk = Sotw();
  EXPECT_THAT(talk.Say("R=[a] T=EDS"), IsEmpty());
  talk.Set(kEds, {"b"}, "1");
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk.Set(kEds, {"a", "b"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a] N=1 T=EDS"));
}

TEST(ServerSotw, OnlyWhatChangedIsSent) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a@1", "b@1"}, "1");
  talk.Say("R=[a,b] T=EDS");
  talk.Set(kEds, {"a@1", "b@2"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[b] N=2 T=EDS"));
  talk.Set(kEds, {"b@2"}, "3");
  EXPECT_THAT(talk.Sent(), IsEmpty());  // nothing can be said of a
  talk.Set(kEds, {"a@1", "b@2"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a] N=3 T=EDS"));
}

TEST(ServerSotw, ANameThatWasGivenUpAndTakenUpAgainIsSentAgain) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a", "b"}, "1");
  talk.Say("R=[a,b] T=EDS");
  EXPECT_THAT(talk.Say("V=1 R=[a] N=1 T=EDS"), IsEmpty());
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=1 T=EDS"), ElementsAre("V=1 R=[b] N=2 T=EDS"));
}

TEST(ServerSotw, TheSameNamesOnAnAnsweredNonceAreASecondAsking) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a", "b"}, "1");
  talk.Say("R=[a,b] T=EDS");
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=1 T=EDS"), IsEmpty());  // the ACK
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=1 T=EDS"), ElementsAre("V=1 R=[a,b] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=2 T=EDS"), IsEmpty());
}

TEST(ServerSotw, NoSecondAnswerForClustersOrForWhatWasRefused) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a"}, "1");
  talk.Set(kEds, {"a"}, "1");
  talk.Say("R=[] T=CDS");
  talk.Say("V=1 R=[] N=1 T=CDS");
  EXPECT_THAT(talk.Say("V=1 R=[] N=1 T=CDS"), IsEmpty());
  talk.Say("R=[a] T=EDS");
  talk.Say("R=[a] N=2 T=EDS err");
  EXPECT_THAT(talk.Say("R=[a] N=2 T=EDS"), IsEmpty());
}

TEST(ServerSotw, ATypeWithoutNamesMeansEverything) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a@1", "b@1"}, "1");
  EXPECT_THAT(talk.Say("R=[] T=EDS"), ElementsAre("V=1 R=[a,b] N=1 T=EDS"));
  talk.Set(kEds, {"a@2", "b@1"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("R=[] T=RDS"), IsEmpty());
}

TEST(ServerSotw, ARefusedPartOfABundleIsSentWithTheWholeBundle) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a@1", "b@1", "c@1"}, "1");
  talk.Say("R=[a,b] T=EDS");
  talk.Say("R=[a,b,c] N=1 T=EDS err");  // c, asked for with it, is not of the bundle
  talk.Set(kEds, {"a@1", "b@1", "c@2"}, "2");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[c] N=3 T=EDS"));
  talk.Set(kEds, {"a@2", "b@1", "c@2"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[a,b] N=4 T=EDS"));
}

TEST(ServerSotw, ResendSaysNamesAgainThatAreAskedForAndExist) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1"}, "1");
  talk.Set(kEds, {"a", "b", "c"}, "1");
  talk.Say("R=[] T=CDS");
  talk.Say("R=[a,b,none] T=EDS");
  talk.Set(kCds, {"a@2"}, "2");
  talk->Resend(kEds, std::vector<std::string>{"a", "c", "none"});
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[a] N=3 T=CDS", "V=1 R=[a] N=4 T=EDS"));
}

// ---- Requests.

TEST(ServerSotw, KindsOfRequests) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a", "b"}, "1");
  EXPECT_EQ(talk.KindOf("R=[a] T=EDS"), Kind::kFirst);
  EXPECT_EQ(talk.KindOf("R=[a] T=EDS"), Kind::kSubscription);
  talk.Sent();
  EXPECT_EQ(talk.KindOf("R=[a] N=1 T=EDS"), Kind::kAck);
  EXPECT_EQ(talk.KindOf("R=[a] N=1 T=EDS"), Kind::kResubscription);
  EXPECT_EQ(talk.KindOf("R=[a,b] N=1 T=EDS"), Kind::kSubscription);
  talk.Sent();
  EXPECT_EQ(talk.KindOf("R=[a] N=1 T=EDS"), Kind::kStale);
  EXPECT_EQ(talk.KindOf("R=[a] N=other T=EDS"), Kind::kStale);
  EXPECT_EQ(talk.KindOf("R=[a] N=2 T=EDS err"), Kind::kNack);
}

TEST(ServerSotw, ARequestWithoutANonceThatCrossedIsTaken) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a", "b"}, "1");
  talk.Say("R=[a] T=EDS");
  EXPECT_THAT(talk.Say("R=[a,b] N= T=EDS"), ElementsAre("V=1 R=[b] N=2 T=EDS"));
  // Nor is a client that never says a nonce answered for ever.
  EXPECT_THAT(talk.Say("R=[a,b] N= T=EDS"), IsEmpty());
}

TEST(ServerSotw, WhatAStaleListLeftOutIsSentWhenItIsAskedForAgain) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a@1", "b@1"}, "1");
  talk.Say("R=[a,b] T=EDS");
  talk.Set(kEds, {"a@2", "b@1"}, "2");
  talk.Sent();
  EXPECT_THAT(talk.Say("V=1 R=[a] N=1 T=EDS"), IsEmpty());
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=1 T=EDS"), IsEmpty());
  EXPECT_THAT(talk.Say("V=2 R=[a,b] N=2 T=EDS"), ElementsAre("V=2 R=[b] N=3 T=EDS"));
}

TEST(ServerSotw, AStaleRequestHoldsNoChangesUp) {
  ServerTalk talk = Sotw();
  talk.Set(kEds, {"a@1", "b@1"}, "1");
  talk.Say("R=[a] T=EDS");
  talk.Set(kEds, {"a@2", "b@1"}, "2");
  talk.Sent();
  EXPECT_THAT(talk.Say("V=1 R=[a,b] N=1 T=EDS"), IsEmpty());
  talk.Set(kEds, {"a@3", "b@1"}, "3");
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[a] N=3 T=EDS"));
}

TEST(ServerSotw, AStarThatWasStaleStillEndsTheMeaningOfAnEmptyList) {
  ServerTalk talk = Sotw();
  talk.Set(kCds, {"a@1"}, "1");
  talk.Say("R=[] T=CDS");
  talk.Set(kCds, {"a@2"}, "2");
  talk.Sent();
  talk.Say("V=1 R=[*] N=1 T=CDS");
  talk.Say("V=2 R=[] N=2 T=CDS");
  talk.Set(kCds, {"a@3"}, "3");
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerSotw, AStreamOfOneTypeNeedsNoTypeUrlAndTakesNoOther) {
  ServerTalk talk(Variant::kSotw, kEds);
  talk.Set(kEds, {"a"}, "1");
  EXPECT_THAT(talk.Say("R=[a]"), ElementsAre("V=1 R=[a] N=1 T=EDS"));
  EXPECT_EQ(talk.Hear("R=[] T=CDS").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ServerSotw, AnAggregatedStreamNeedsATypeUrl) {
  ServerTalk talk = Sotw();
  EXPECT_EQ(talk.Hear("R=[a]").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(talk->OnRequest("\xff\xff").status().code(), absl::StatusCode::kDataLoss);
}

TEST(ServerSotw, OneClientCannotMakeItRememberWithoutEnd) {
  ServerSession session({.variant = Variant::kSotw, .only_type = {}, .most_types = 2, .most_names = 2});
  const auto hear = [&](const std::string& line) {
    return session.OnRequest(RequestBytes(Variant::kSotw, line)).status().code();
  };
  EXPECT_EQ(hear("T=x/a R=[1,2]"), absl::StatusCode::kOk);
  EXPECT_EQ(hear("T=x/b"), absl::StatusCode::kOk);
  EXPECT_EQ(hear("T=x/c"), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(hear("T=x/b R=[1]"), absl::StatusCode::kResourceExhausted) << "names of all types count together";
  EXPECT_EQ(hear("T=x/a R=[1,2,3]"), absl::StatusCode::kResourceExhausted);
}

TEST(ServerSotw, OfANodeItsIdIsKeptUpToALength) {
  std::string node, request;
  base::AppendBytes(&node, 1, std::string(ServerSession::kLongestNodeId, 'n') + "more");
  base::AppendBytes(&request, 2, node);
  base::AppendBytes(&request, 4, TypeUrlOf("EDS"));
  ServerTalk talk = Sotw();
  ASSERT_TRUE(talk->OnRequest(request).ok());
  EXPECT_EQ(talk->node_id(), std::string(ServerSession::kLongestNodeId, 'n'));
  (void)talk.Say("R=[a] T=EDS node");
  EXPECT_EQ(talk->node_id(), std::string(ServerSession::kLongestNodeId, 'n')) << "the first node counts (B.0-2)";
}

}  // namespace
}  // namespace xdscope::protocol::testing
