// The server's half of delta: the examples D1 to D8 of reference/protocol.md B.2 from its side, message for message (D6
// is in server_heartbeat_test.cc), and the rules behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/server_talk.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Received::Kind;

ServerTalk Delta() {
  return ServerTalk(Variant::kDelta);
}

// ---- Examples.

TEST(ServerDeltaExample, D1AckNackAndSpontaneousRequest) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1", "b@1"});
  EXPECT_THAT(talk.Say("T=CDS node"), ElementsAre("T=CDS res[a@1,b@1] N=1"));
  EXPECT_THAT(talk.Say("T=CDS N=1"), IsEmpty());
  talk.Set(kCds, {"a@1", "b@2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[b@2] N=2"));
  EXPECT_THAT(talk.Say("T=CDS N=2 err"), IsEmpty());
  talk.Set(kCds, {"a@1", "b@2", "wc@1"});
  EXPECT_THAT(talk.Say("T=CDS +[wc]"), ElementsAre("T=CDS res[wc@1] N=3"));
  EXPECT_THAT(talk.Say("T=CDS N=3"), IsEmpty());
}

TEST(ServerDeltaExample, D2Resume) {
  for (const std::string names : {"", "+[*,wc] "}) {
    ServerTalk talk = Delta();
    talk.Set(kCds, {"b@2", "wc@1"});
    EXPECT_THAT(talk.Say("T=CDS " + names + "init{a:1,b:1,wc:1} node"), ElementsAre("T=CDS res[b@2] rm[a] N=1"));
    EXPECT_THAT(talk.Say("T=CDS N=1"), IsEmpty());
  }
}

TEST(ServerDeltaExample, D3NotExistingCreatedLater) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"foo@1"});
  EXPECT_THAT(talk.Say("T=EDS +[foo,bar]"), ElementsAre("T=EDS res[foo@1] rm[bar] N=1"));
  EXPECT_THAT(talk.Say("T=EDS N=1"), IsEmpty());
  talk.Set(kEds, {"foo@1", "bar@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS res[bar@1] N=2"));
  EXPECT_THAT(talk.Say("T=EDS N=2"), IsEmpty());
}

TEST(ServerDeltaExample, D4WildcardPlusExplicitName) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"A@1", "B@1"});
  EXPECT_THAT(talk.Say("T=CDS"), ElementsAre("T=CDS res[A@1,B@1] N=1"));
  EXPECT_THAT(talk.Say("T=CDS +[A,none]"), ElementsAre("T=CDS res[A@1] rm[none] N=2"));
  EXPECT_THAT(talk.Say("T=CDS -[A,none]"), ElementsAre("T=CDS res[A@1] rm[none] N=3"));
  EXPECT_THAT(talk.Say("T=CDS -[A]"), IsEmpty());  // it is no longer subscribed
  EXPECT_THAT(talk.Say("T=CDS -[*]"), IsEmpty());
  talk.Set(kCds, {"A@2", "B@2"});
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerDeltaExample, D5ResubscribeOfSomethingHeld) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"foo@7"});
  EXPECT_THAT(talk.Say("T=EDS +[foo]"), ElementsAre("T=EDS res[foo@7] N=1"));
  EXPECT_THAT(talk.Say("T=EDS N=1"), IsEmpty());
  EXPECT_THAT(talk.Say("T=EDS +[foo]"), ElementsAre("T=EDS res[foo@7] N=2"));
}

TEST(ServerDeltaExample, D7OnDemand) {
  ServerTalk talk = Delta();
  talk.cache().SetAlias("rc1/www.example.com", "rc1/site");
  EXPECT_THAT(talk.Say("T=VHDS"), ElementsAre("T=VHDS N=1"));
  talk.Say("T=VHDS N=1");
  EXPECT_THAT(talk.Say("T=VHDS -[*]"), IsEmpty());
  talk.Set(kVhds, {"rc1/site@v1", "rc1/else@v1"});
  EXPECT_THAT(talk.Say("T=VHDS +[rc1/www.example.com]"), ElementsAre("T=VHDS res[rc1/site@v1] N=2"));
  EXPECT_THAT(talk.Say("T=VHDS N=2"), IsEmpty());
  EXPECT_THAT(talk.Say("T=VHDS +[rc1/nope.example.com]"), ElementsAre("T=VHDS unresolved[rc1/nope.example.com] N=3"));
  talk.Set(kVhds, {"rc1/site@v2", "rc1/else@v2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=VHDS res[rc1/site@v2] N=4"));
  EXPECT_THAT(talk.Say("T=VHDS -[rc1/www.example.com]"), IsEmpty());
  talk.Set(kVhds, {"rc1/site@v3"});
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerDeltaExample, D8StaleNonceWithASubscription) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"p@1", "q@1"});
  talk.Say("T=EDS +[p]");
  talk.Set(kEds, {"p@2", "q@1"});
  talk.Sent();
  EXPECT_THAT(talk.Say("T=EDS N=1 +[q]"), ElementsAre("T=EDS res[q@1] N=3"));
  EXPECT_THAT(talk.Say("T=EDS N=2"), IsEmpty());
}

// ---- Wildcards.

TEST(ServerDelta, TheFirstWildcardIsAnsweredEvenIfThereIsNothing) {
  ServerTalk talk = Delta();
  EXPECT_THAT(talk.Say("T=CDS"), ElementsAre("T=CDS N=1"));
  EXPECT_THAT(talk.Say("T=CDS N=1"), IsEmpty());
  EXPECT_THAT(talk.Say("T=LDS +[*]"), ElementsAre("T=LDS N=2"));
}

TEST(ServerDelta, AResumedWildcardWithNothingNewIsAnsweredEmpty) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1"});
  EXPECT_THAT(talk.Say("T=CDS init{a:1}"), ElementsAre("T=CDS N=1"));
}

TEST(ServerDelta, EmptyListsMeanEverythingInTheFirstRequestOnly) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"a@1", "b@1"});
  talk.Say("T=EDS +[a]");
  EXPECT_THAT(talk.Say("T=EDS"), IsEmpty());
  talk.Set(kEds, {"a@1", "b@2"});
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

TEST(ServerDelta, EverythingAfterNamesBringsTheRest) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1", "b@1", "c@1"});
  talk.Say("T=CDS +[a]");
  talk.Set(kCds, {"a@1", "b@1"});  // c was never sent: nothing to remove
  EXPECT_THAT(talk.Say("T=CDS +[*]"), ElementsAre("T=CDS res[b@1] N=2"));
  EXPECT_THAT(talk.Say("T=CDS +[*]"), ElementsAre("T=CDS res[a@1,b@1] N=3"));  // asked again
}

TEST(ServerDelta, EndingTheWildcardLeavesTheNames) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1", "b@1"});
  talk.Say("T=CDS +[*,a]");
  EXPECT_THAT(talk.Say("T=CDS -[*]"), IsEmpty());
  talk.Set(kCds, {"a@2", "b@2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@2] N=2"));
}

TEST(ServerDelta, SubscribedAndUnsubscribedByOneRequestMeansNothing) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1"});
  EXPECT_THAT(talk.Say("T=CDS +[*,a] -[*,a]"), IsEmpty());
  talk.Set(kCds, {"a@2"});
  EXPECT_THAT(talk.Sent(), IsEmpty());
}

// ---- Names.

TEST(ServerDelta, NamesThatVanishAreRemovedAndComeBack) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"a@1", "b@1"});
  talk.Say("T=EDS +[a]");
  talk.Set(kEds, {"b@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS rm[a] N=2"));
  talk.Set(kEds, {});
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk.Set(kEds, {"a@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS res[a@1] N=3"));
}

TEST(ServerDelta, AnUnknownNameIsRemovedEachTimeItIsAskedFor) {
  ServerTalk talk = Delta();
  EXPECT_THAT(talk.Say("T=EDS +[a]"), ElementsAre("T=EDS rm[a] N=1"));
  talk.Set(kEds, {"b@1"});
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_THAT(talk.Say("T=EDS +[a]"), ElementsAre("T=EDS rm[a] N=2"));
  EXPECT_THAT(talk.Say("T=EDS -[a]"), IsEmpty());
}

TEST(ServerDelta, ResumedNamesAreSentWhereTheyDiffer) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"same@1", "new@1", "changed@2"});
  EXPECT_THAT(talk.Say("T=EDS +[same,new,changed,gone,none] init{same:1,changed:1,gone:1}"),
              ElementsAre("T=EDS res[changed@2,new@1] rm[gone,none] N=1"));
}

TEST(ServerDelta, AResumeWithNothingNewIsSilent) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"a@1"});
  EXPECT_THAT(talk.Say("T=EDS +[a] init{a:1}"), IsEmpty());
  EXPECT_THAT(talk.Say("T=EDS +[a] init{a:1}"), ElementsAre("T=EDS res[a@1] N=1"));  // no longer the first
}

TEST(ServerDelta, ManyNamesAmongFewAndFewAmongMany) {
  ServerTalk talk = Delta();
  std::vector<std::string> many;
  for (int i = 100; i < 200; ++i) many.push_back(std::to_string(i) + "@1");
  talk.Set(kEds, many);
  EXPECT_THAT(talk.Say("T=EDS +[110,150,none]"), ElementsAre("T=EDS res[110@1,150@1] rm[none] N=1"));
  many[50] = "150@2";
  many[51] = "151@2";
  many.erase(many.begin() + 10);
  talk.Set(kEds, many);
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS res[150@2] rm[110] N=2"));
}

TEST(ServerDelta, GlobsStandForADirectory) {
  ServerTalk talk = Delta();
  talk.Set(kEds,
           {"xdstp://a/E/dir/one@1", "xdstp://a/E/dir/two@1", "xdstp://a/E/dir/deep/er@1", "xdstp://a/E/other@1"});
  EXPECT_THAT(talk.Say("T=EDS +[xdstp://a/E/dir/*]"),
              ElementsAre("T=EDS res[xdstp://a/E/dir/one@1,xdstp://a/E/dir/two@1] N=1"));
  talk.Set(kEds, {"xdstp://a/E/dir/two@2", "xdstp://a/E/other@2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS res[xdstp://a/E/dir/two@2] rm[xdstp://a/E/dir/one] N=2"));
  EXPECT_THAT(talk.Say("T=EDS +[xdstp://a/E/none/*]"), ElementsAre("T=EDS rm[xdstp://a/E/none/*] N=3"));
}

// ---- Verdicts.

TEST(ServerDelta, ARefusedMessageIsSentAgainWhenAPartOfItChanges) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1", "old@1"});
  talk.Say("T=CDS");
  talk.Say("T=CDS N=1");
  talk.Set(kCds, {"a@2", "new@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@2,new@1] rm[old] N=2"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(talk.Say("T=CDS N=2 err"), IsEmpty());
  talk.Set(kCds, {"a@2", "new@1", "other@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[other@1] N=3"));
  talk.Say("T=CDS N=3");
  talk.Set(kCds, {"a@3", "new@1", "other@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@3,new@1] rm[old] N=4"));
  talk.Say("T=CDS N=4");
  talk.Set(kCds, {"a@4", "new@1", "other@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@4] N=5"));
}

TEST(ServerDelta, ALateRefusalDoesNotTouchWhatWasAcceptedSince) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1", "b@1"});
  talk.Say("T=CDS");
  talk.Set(kCds, {"a@2", "b@1"});
  talk.Sent();
  talk.Say("T=CDS N=1 err");
  talk.Say("T=CDS N=2");  // a was accepted, b was not
  talk.Set(kCds, {"a@3", "b@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@3] N=3"));
  talk.Set(kCds, {"a@3", "b@2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[b@2] N=4"));
}

TEST(ServerDelta, KindsOfRequests) {
  ServerTalk talk = Delta();
  EXPECT_EQ(talk.KindOf("T=EDS +[a]"), Kind::kFirst);
  talk.Sent();
  EXPECT_EQ(talk.KindOf("T=EDS N=1 +[b]"), Kind::kAck);
  EXPECT_EQ(talk.KindOf("T=EDS +[b]"), Kind::kResubscription);
  EXPECT_EQ(talk.KindOf("T=EDS -[b]"), Kind::kSubscription);
  EXPECT_EQ(talk.KindOf("T=EDS N=1 err"), Kind::kNack);
}

// ---- Several types.

TEST(ServerDelta, AdditionsGoDownAndRemovalsUpTheChain) {
  ServerTalk talk = Delta();
  for (const std::string_view type : {kLds, kRds, kEds, kCds}) {
    talk.Set(type, {"old@1"});
    talk.Say("T=" + ShortNameOf(type));
  }
  for (const std::string_view type : {kLds, kRds, kEds, kCds}) talk.Set(type, {"new@1"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[new@1] N=5", "T=EDS res[new@1] N=6", "T=LDS res[new@1] N=7",
                                       "T=RDS res[new@1] N=8", "T=LDS rm[old] N=9", "T=RDS rm[old] N=10",
                                       "T=EDS rm[old] N=11", "T=CDS rm[old] N=12"));
}

TEST(ServerDelta, WhatComesBackBeforeItsRemovalWasSaidIsNotRemoved) {
  ServerTalk talk = Delta();
  talk.Set(kCds, {"a@1"});
  talk.Set(kLds, {"l@1"});
  talk.Say("T=CDS");
  talk.Say("T=LDS");
  talk.Set(kCds, {});
  talk.Set(kLds, {"l@2"});
  const auto first = talk->Next(talk.cache(), Moment(0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type_url, kLds);
  talk.Set(kCds, {"a@2"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS res[a@2] N=4"));
}

TEST(ServerDelta, ResendUnderAWildcardAndByName) {
  ServerTalk talk = Delta();
  talk.Set(kEds, {"a@1", "b@1"});
  talk.Say("T=EDS");
  talk->Resend(kEds, std::vector<std::string>{"b", "none"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS res[b@1] N=2"));
}

// 20,000 names in one request, and one after another.
TEST(ServerDelta, ManyNamesTakeNoQuadraticTime) {
  std::vector<std::string> resources;
  std::string list;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "outbound|80||service-" + std::to_string(i) + ".ns.svc.cluster.local";
    resources.push_back(name + "@1");
    list += (i == 0 ? "" : ",") + name;
  }
  ServerTalk talk = Delta();
  talk.Set(kEds, resources, "1");
  ASSERT_TRUE(talk.Hear("T=EDS +[" + list + "]").ok());
  auto answer = talk->Next(talk.cache(), Moment(0));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->all);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(talk.Hear("T=EDS +[" + resources[static_cast<std::size_t>(i)].substr(0, 21) + "]").ok());
  }
  for (int i = 0; i < 20; ++i) {
    resources[static_cast<std::size_t>(i)].back() = '2';
    talk.Set(kEds, resources, "2" + std::to_string(i));
    answer = talk->Next(talk.cache(), Moment(0));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->resources.size(), 1u);
  }
}

TEST(ServerDelta, OneClientCannotAnnounceWithoutEnd) {
  ServerSession session({.variant = Variant::kDelta, .only_type = {}, .most_names = 2});
  const auto hear = [&](const std::string& line) {
    return session.OnRequest(RequestBytes(Variant::kDelta, line)).status().code();
  };
  EXPECT_EQ(hear("T=x/a init{1:1,2:1}"), absl::StatusCode::kOk);
  EXPECT_EQ(hear("T=x/b init{1:1,2:1,3:1}"), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace xdscope::protocol::testing
