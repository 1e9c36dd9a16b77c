#include "cli/commands/repl/repl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/commands/repl/repl_fixture.h"

namespace xdscope::cli {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ReplTest, NothingIsSentThatWasNotTyped) {
  EXPECT_THAT(Sent(), IsEmpty());
  Begin();
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(console_.announced.back(), HasSubstr("CDS 1 nonce n1: 2 resources (+2)"));
  EXPECT_THAT(console_.announced.back(), HasSubstr("waiting for ack or nack"));
  EXPECT_EQ(repl_->Prompt(), "1 ads server 1 waiting> ");
}

TEST_F(ReplTest, AnAckTakesWhatCame) {
  Begin();
  EXPECT_EQ(Printed("show"), "");
  Do("ack");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_EQ(sent[0].nonce, "n1");
  EXPECT_THAT(Printed("list cds"), HasSubstr("a"));
  EXPECT_EQ(Fails("ack"), "no response waits for an answer");
}

TEST_F(ReplTest, ANackSaysTheWordsAndTheCode) {
  Begin();
  Do("nack cds 'bad cluster' a --code 3");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "");
  ASSERT_TRUE(sent[0].error);
  EXPECT_EQ(sent[0].error->code, 3);
  EXPECT_EQ(sent[0].error->message, "bad cluster a");
  EXPECT_EQ(Printed("show"), "");
}

TEST_F(ReplTest, AnAnswerMayBeGivenTwiceAndTheRuleIsSaid) {
  Begin();
  Do("ack");
  Sent();
  Do("ack #2");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].nonce, "n1");
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_THAT(console_.announced, testing::Contains(HasSubstr("XDS-C014")));
}

TEST_F(ReplTest, InterestThatChangesWhileAResponseWaitsGoesOutWithTheAnswer) {
  Begin();
  Do("sub cds extra");
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_THAT(console_.announced.back(), HasSubstr("B.0-7"));
  Do("ack");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, ElementsAre("*", "extra"));
}

TEST_F(ReplTest, NowSendsInterestAtOnce) {
  Begin();
  Do("sub cds extra --now");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, ElementsAre("*", "extra"));
  EXPECT_EQ(sent[0].nonce, "");
}

TEST_F(ReplTest, UnsubWithoutANameDropsNamesToo) {
  Do("sub eds a b");
  stream().Connect();
  Sent();
  Do("unsub eds");
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0].names, IsEmpty());
}

TEST_F(ReplTest, UnsubOfTheWildcardKeepsNames) {
  Do("sub cds a *");
  stream().Connect();
  EXPECT_THAT(Sent().back().names, ElementsAre("*", "a"));
  Do("unsub cds *");
  EXPECT_THAT(Sent().back().names, ElementsAre("a"));
}

TEST_F(ReplTest, ARequestIsSentAsItIsWritten) {
  Begin();
  Do("send '{type_url: x, response_nonce: never, version_info: \"9\"}'");
  EXPECT_THAT(Fails("send '{typ_url: x}'"), HasSubstr("typ_url"));
  Sent();
  Do("send '{type_url: cds, resource_names: [a, a]}'");
  EXPECT_EQ(Sent().back().type_url, kCds);
  EXPECT_THAT(console_.announced, testing::Contains(HasSubstr("XDS-C022")));
  Do("send '{type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster, response_nonce: never}'");
}

TEST_F(ReplTest, AutoAnswersByItself) {
  Do("auto ack");
  Begin();
  ASSERT_THAT(Sent(), SizeIs(1));
  EXPECT_THAT(Printed("state"), HasSubstr("ACKED"));
}

TEST_F(ReplTest, AStreamThatDiesIsSaidAndOpensAgain) {
  Begin();
  Do("ack");
  Sent();
  stream().Close(absl::UnavailableError("gone"));
  EXPECT_THAT(console_.announced, testing::IsSupersetOf({"-- the stream is closed: gone", "   start the server"}));
  Do("wait");  // for what had come before
  EXPECT_EQ(Fails("wait"), "the stream is closed; reopen opens it again");
  EXPECT_EQ(repl_->Prompt(), "1 ads server closed> ");
  Do("reopen");
  read_ = 0;
  stream().Connect();
  std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "1");
  EXPECT_EQ(sent[0].nonce, "");
}

TEST_F(ReplTest, FreshForgetsTheVersion) {
  Begin();
  Do("ack");
  Sent();
  stream().Close(absl::UnavailableError("gone"));
  Do("reopen --fresh");
  read_ = 0;
  stream().Connect();
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].version, "");
  EXPECT_EQ(Printed("show"), "");
}

TEST_F(ReplTest, WaitIsOverWithAResponseThatNoWaitHasSeen) {
  Begin();
  Do("wait cds");
  EXPECT_EQ(Fails("wait cds --for 1s"), "no response came in time");
}

TEST_F(ReplTest, ExpectLooksAtWhatIsHeld) {
  Begin();
  EXPECT_EQ(Fails("expect cds a --for 1s"), "cds:a: not held; a response of this type waits for ack or nack");
  Do("expect not cds a");
  Do("ack");
  Do("expect cds a");
  EXPECT_EQ(Fails("expect not cds a"), "cds:a: held");
}

TEST_F(ReplTest, TheLogNumbersBothDirections) {
  Begin();
  Do("ack");
  Sent();
  const std::string log = Printed("log");
  EXPECT_THAT(log, HasSubstr("->  cds"));
  EXPECT_THAT(log, HasSubstr("ACK"));
  EXPECT_THAT(Printed("request 1"), HasSubstr("type_url: type.googleapis.com/envoy.config.cluster.v3.Cluster"));
  EXPECT_THAT(Printed("response 2"), HasSubstr("nonce: n1"));
  EXPECT_EQ(Fails("request 2"), "2: is no request in the log");
}

TEST_F(ReplTest, StreamsStandSideBySide) {
  Begin();
  Do("open delta-ads other:1 cds");
  EXPECT_THAT(targets_, ElementsAre("", "other:1"));
  EXPECT_THAT(Printed("streams"), HasSubstr("delta-ads"));
  EXPECT_EQ(repl_->Prompt(), "2 delta-ads other:1> ");
  Do("use 1");
  Do("ack");
  EXPECT_THAT(Fails("use 7"), HasSubstr("there is no stream 7"));
}

TEST_F(ReplTest, OpenRefusesWhatItCannotDo) {
  EXPECT_THAT(Fails("open ads cds eds"), HasSubstr("eds: is one word too many"));
  EXPECT_THAT(Fails("open ads delta"), HasSubstr("delta: is one word too many"));
  EXPECT_THAT(Fails("open one:1 two:2"), HasSubstr("two:2: is one word too many"));
  EXPECT_THAT(Fails("open sotw leds"), HasSubstr("leds"));
  EXPECT_THAT(repl_->streams(), SizeIs(1));
}

TEST_F(ReplTest, TypesThatNobodyAskedForAreSaidAndNotKept) {
  Begin();
  for (const std::string_view type_url : {fake::kEds, std::string_view("type.googleapis.com/any.Thing")}) {
    stream().Deliver(fake::Sotw({.type_url = type_url, .version = "1", .nonce = "e1"}));
    EXPECT_THAT(console_.announced, testing::Contains(HasSubstr("no answer expected")));
  }
  EXPECT_THAT((*repl_->Current())->types(), ElementsAre(kCds));
  EXPECT_THAT(Printed("log"), HasSubstr("any.Thing"));
}

TEST_F(ReplTest, WhatIsGoneIsCountedOnce) {
  Begin();
  Do("ack");
  stream().Deliver(fake::Sotw(
      {.type_url = kCds, .version = "2", .nonce = "n2", .resources = fake::Named({"b"}), .errors = {{.name = "a"}}}));
  EXPECT_THAT(console_.announced, testing::Contains(HasSubstr("1 resource (-1)")));
}

TEST_F(ReplTest, WhatAServerWroteReachesNoTerminalAsItIs) {
  Begin();
  Do("ack");
  stream().Deliver(fake::Sotw({.type_url = kCds,
                               .version = "\x1b[2J",
                               .nonce = "\x1b[2J",
                               .resources = {{.name = "\x1b[2J", .type_url = "a.b/\x1b[2J"}}}));
  for (const std::string_view line :
       {"check", "pending", "log", "diff cds", "response 4", "ack", "show", "state cds"}) {
    EXPECT_THAT(Printed(line), testing::Not(HasSubstr("\x1b"))) << line;
  }
  for (const std::string& line : console_.announced) EXPECT_THAT(line, testing::Not(HasSubstr("\x1b")));
}

TEST_F(ReplTest, AVerbMayBeShortenedWhereThatIsUnique) {
  EXPECT_THAT(Fails("re"), HasSubstr("may be resub, request, response, reopen"));
  EXPECT_THAT(Fails("subb"), HasSubstr("sub"));
  Do("pend");
}

TEST_F(ReplTest, AScriptEndsAtTheFirstLineThatFails) {
  files_["bug.xds"] = "# all is well\nsub cds\n\nnosuch\nsub eds\n";
  EXPECT_THAT(Fails("source bug.xds"), HasSubstr("bug.xds:4: nosuch: is no verb"));
}

TEST_F(ReplTest, WhatWasTypedIsSavedAsAScript) {
  Do("sub cds a");
  Fails("nosuch");
  Do("set output json");
  Do("save bug.xds");
  EXPECT_EQ(files_["bug.xds"], "# xdscope repl server '--node={\n# }' --script FILE\nsub cds a\nset output json\n");
  EXPECT_EQ(flags_["output"], "json");
}

TEST_F(ReplTest, AScriptWaitsForWhatHadCome) {
  Begin();
  Do("ack");
  Do("wait");  // it was waited for in the script already
  Do("save bug.xds");
  EXPECT_THAT(files_["bug.xds"], testing::EndsWith("sub cds\nwait cds\nack\n"));
}

TEST_F(ReplTest, OneWaitSeesOneResponse) {
  Begin();
  stream().Deliver(fake::Sotw({.type_url = kCds, .version = "2", .nonce = "n2", .resources = fake::Named({"a"})}));
  Do("wait");
  Do("wait");
  EXPECT_EQ(Fails("wait"), "no response came in time");
}

TEST_F(ReplTest, AVerbSaysWhatItCannotDoWithout) {
  EXPECT_EQ(Fails("sub"), "TYPE is missing; sub TYPE [NAME...] [--now]");
  EXPECT_EQ(Fails("save"), "FILE is missing; save FILE");
  EXPECT_THAT(Fails("expect not"), HasSubstr("TYPE is missing"));
}

TEST_F(ReplTest, AVerbTakesNoWordTooMany) {
  for (const char* line : {"quit x", "streams 1", "tree x", "log 3 4", "ack cds x", "auto ack x", "use 1 2"}) {
    EXPECT_THAT(Fails(line), HasSubstr("is one word too many")) << line;
  }
  EXPECT_THAT(Fails("sub cds --nw"), HasSubstr("--nw: sub has no such option; did you mean --now?"));
  EXPECT_THAT(Fails("wait cds --for"), HasSubstr("a value is missing"));
}

TEST_F(ReplTest, DiffSaysWhatAWaitingResponseWouldChange) {
  Begin();
  EXPECT_THAT(Printed("diff cds"), testing::AllOf(HasSubstr("what is held → #2 (version 1)"), HasSubstr("+ cds:a")));
  Do("ack");
  stream().Deliver(fake::Sotw({.type_url = kCds, .version = "2", .nonce = "n2", .resources = fake::Named({"b", "c"})}));
  EXPECT_THAT(Printed("diff cds"), testing::AllOf(HasSubstr("- cds:a"), HasSubstr("+ cds:c")));
  EXPECT_THAT(Printed("diff cds c"), Not(HasSubstr("cds:a")));
  Do("ack");
  EXPECT_THAT(Printed("diff cds"), HasSubstr("#2 (version 1) → #4 (version 2)"));
  EXPECT_THAT(Printed("diff cds #4 #2"), HasSubstr("- cds:c"));
  EXPECT_THAT(Fails("diff cds #1 #2"), HasSubstr("#1: is no response of cds"));
  EXPECT_THAT(Fails("diff eds"), HasSubstr("there are no two responses of eds"));
}

TEST_F(ReplTest, APreviewIsWhatThenGoesOut) {
  EXPECT_EQ(Fails("preview"), "nothing was asked for yet; sub asks");
  Begin();
  EXPECT_THAT(Printed("preview"), HasSubstr("response_nonce: n1"));
  EXPECT_THAT(Sent(), IsEmpty());
  Do("ack");
  Sent();
  EXPECT_EQ(Printed("preview"), "nothing is to be sent\n");
}

TEST_F(ReplTest, TheNodeIsThatOfTheNextStream) {
  Do("sub cds");
  stream().Connect();
  Do("node id=other");
  EXPECT_EQ(flags_["node-id"], "other");
  EXPECT_THAT(console_.announced.back(), HasSubstr("the next stream says it"));
}

TEST_F(ReplTest, OfAServerThatSendsOnTheOldestResponsesAreForgotten) {
  Begin();
  for (int i = 2; i < 40; ++i) {
    const std::string number = std::to_string(i);
    stream().Deliver(fake::Sotw({.type_url = kCds, .version = number, .nonce = number, .resources = {}}));
  }
  EXPECT_EQ(repl_->Prompt(), "1 ads server 16 waiting> ");
  EXPECT_THAT(Printed("log"), HasSubstr("never answered"));
  Do("ack #2");  // goes out all the same
}

TEST_F(ReplTest, OptionsArePrintedAndChecked) {
  Do("set wait 2s");
  EXPECT_EQ(Printed("set wait"), "2s\n");
  EXPECT_THAT(Printed("set"), testing::AllOf(HasSubstr("output"), HasSubstr("keys"), HasSubstr("2s")));
  EXPECT_THAT(Fails("set outptu json"), HasSubstr("did you mean output?"));
}

TEST_F(ReplTest, ReferencesAreFollowedAsTheyComeAndGo) {
  Do("auto ack");
  Do("follow on");
  Do("sub cds");
  stream().Connect();
  Sent();
  const auto clusters = [this](const std::string& version, const std::vector<std::string>& names) {
    fake::Response response{.type_url = kCds, .version = version, .nonce = version, .resources = {}};
    for (const std::string& name : names) {
      response.resources.push_back({.name = name, .payload = fake::EdsCluster(name, fake::AdsSource())});
    }
    stream().Deliver(fake::Sotw(response));
    std::vector<std::string> asked;
    for (const protocol::Request& request : Sent()) {
      if (request.type_url == kEds) asked = request.names;
    }
    return asked;
  };
  EXPECT_THAT(clusters("1", {"a", "b"}), ElementsAre("a", "b"));
  Do("sub eds b");
  EXPECT_THAT(clusters("2", {"a", "c"}), ElementsAre("a", "b", "c"));  // b was typed
  EXPECT_THAT(clusters("3", {"c"}), ElementsAre("b", "c"));
  Do("sub eds");
  EXPECT_THAT(Sent().back().names, ElementsAre("*", "b"));
  Do("follow off");
  EXPECT_THAT(clusters("4", {"d"}), IsEmpty());
  EXPECT_EQ(Printed("follow"), "off\n");
}

TEST_F(ReplTest, HistoryIsTheConsoles) {
  console_.history.Add("sub cds");
  console_.history.Add("ack");
  EXPECT_EQ(Printed("history"), "sub cds\nack\n");
  console_.history.Add(std::string(TypedLines::kMost, 'x'));
  Do("history");
  EXPECT_EQ(console_.announced.back(), "   2 older lines are no longer kept");
}

TEST_F(ReplTest, EachVerbHasAnExampleThatItsTableKnows) {
  for (const std::string_view verb : {"sub", "ack", "nack", "expect", "reopen"}) {
    EXPECT_THAT(Printed("help " + std::string(verb)), HasSubstr("for example: " + std::string(verb)));
  }
}

TEST_F(ReplTest, AMessageInFullIsOneAnnouncement) {
  repl_->settings().connect.verbosity = 2;
  Begin();
  EXPECT_THAT(console_.announced.back(), HasSubstr("\n"));
  EXPECT_THAT(console_.announced.back(), HasSubstr("name: b"));
}

TEST_F(ReplTest, TypesAsLongAsMessagesAreForgottenBeforeAnybodyWaitsForThem) {
  Begin();
  const ReplStream& conversation = **repl_->Current();
  const std::string longest(ReplStream::kMostUnseenText / 4, 't');
  for (const char last : {'1', '2', '3', '4', '5'}) {
    stream().Deliver(fake::Sotw({.type_url = longest + last, .version = "1", .nonce = "n"}));
  }
  EXPECT_FALSE(conversation.HasUnseen(kCds));
  EXPECT_FALSE(conversation.HasUnseen(longest + '1'));
  EXPECT_TRUE(conversation.HasUnseen(longest + '3'));
  EXPECT_TRUE(conversation.HasUnseen(longest + '5'));
}

TEST_F(ReplTest, WhatTheLogNoLongerHasIsSaid) {
  Begin();
  for (std::size_t i = 0; i < Log::kMostEntries; ++i) {
    stream().Deliver(fake::Sotw({.type_url = kEds, .version = "1", .nonce = "n"}));
  }
  EXPECT_EQ(Fails("response 2"), "#2: is no longer in the log, which begins with #3");
  Do("log");
  EXPECT_EQ(console_.announced.back(), "   2 older entries are no longer kept");
}

// A cluster of type EDS that says nowhere where its endpoints come from: no client refuses that by PGV.
TEST_F(ReplTest, CheckAndAutoJudgeKnowAllRules) {
  Do("sub cds");
  stream().Connect();
  stream().Deliver(fake::Sotw({.type_url = fake::kCds,
                               .version = "1",
                               .nonce = "n1",
                               .resources = {{.name = "a", .payload = fake::Payload("a", fake::Number(2, 3))}}}));
  const std::string line = "cds:a: error: type: a cluster of type EDS needs an eds_cluster_config [XDS-V070]\n";
  EXPECT_EQ(Printed("check"), line);  // while it waits
  Do("ack");
  EXPECT_EQ(Printed("check"), line);
  EXPECT_EQ(Printed("check cds a"), line);
  EXPECT_EQ(Printed("check eds"), "nothing is wrong\n");
  Do("auto judge");
  Sent();
  stream().Deliver(fake::Sotw({.type_url = fake::kCds,
                               .version = "2",
                               .nonce = "n2",
                               .resources = {{.name = "b", .payload = fake::Payload("b", fake::Number(2, 3))}}}));
  const std::vector<protocol::Request> sent = Sent();
  ASSERT_EQ(sent.size(), 1);
  ASSERT_TRUE(sent[0].error);
  EXPECT_THAT(sent[0].error->message, HasSubstr("[XDS-V070]"));
}

}  // namespace
}  // namespace xdscope::cli
