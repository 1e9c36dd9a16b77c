// The examples D1 to D8 of reference/protocol.md B.2, message for message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Conversation Start(std::string_view type_url, const Interest& interest) {
  Conversation talk(Conversation::Delta());
  talk->SetInterest(type_url, interest);
  talk->OnStreamOpened();
  return talk;
}

// D1, which D2 goes on from.
Conversation PlayD1() {
  Conversation talk = Start(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[] node{id:n1}"));
  EXPECT_THAT(talk.Accept({kCds, "1", "1", Entries({"a@1", "b@1"})}), ElementsAre("T=CDS N=1"));
  EXPECT_THAT(talk.Refuse({kCds, "", "2", Entries({"b@2"})}), ElementsAre("T=CDS N=2 err{13 no}"));
  EXPECT_EQ(talk[kCds].Held("b")->version, "1");
  talk->SetInterest(kCds, Interest::EverythingAnd({"wc"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[wc]"));
  EXPECT_THAT(talk.Accept({kCds, "", "3", Entries({"wc@1"})}), ElementsAre("T=CDS N=3"));
  return talk;
}

TEST(DeltaExample, D1AckNackAndSpontaneousRequest) {
  PlayD1();
}

TEST(DeltaExample, D2Resume) {
  Conversation talk = PlayD1();
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[*,wc] init{a:1,b:1,wc:1} node{id:n1}"));
  EXPECT_THAT(talk.Accept({kCds, "", "1", Entries({"b@2"}), {"a"}}), ElementsAre("T=CDS N=1"));
  EXPECT_EQ(talk[kCds].held_count(), 2u);
  EXPECT_EQ(talk[kCds].Held("b")->version, "2");
}

TEST(DeltaExample, D2ResumeOfALegacyWildcard) {
  Conversation talk = Start(kCds, Interest::Everything());
  talk.Sent();
  talk.Accept({kCds, "1", "1", Entries({"a@1", "b@1"})});
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[] init{a:1,b:1} node{id:n1}"));
}

TEST(DeltaExample, D3NotExistingCreatedLater) {
  Conversation talk = Start(kEds, Interest::Names({"foo", "bar"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[bar,foo] node{id:n1}"));
  EXPECT_THAT(talk.Accept({kEds, "", "1", Entries({"foo@1"}), {"bar"}}), ElementsAre("T=EDS N=1"));
  EXPECT_EQ(talk[kEds].StateOf("bar"), NameState::kAbsent);
  EXPECT_THAT(talk.Accept({kEds, "", "2", Entries({"bar@1"})}), ElementsAre("T=EDS N=2"));
  EXPECT_EQ(talk[kEds].StateOf("bar"), NameState::kHeld);
}

TEST(DeltaExample, D4WildcardPlusExplicitName) {
  Conversation talk = Start(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[] node{id:n1}"));
  talk->SetInterest(kCds, Interest::EverythingAnd({"A"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS +[A]"));
  talk.Accept({kCds, "1", "1", Entries({"A@1", "B@1"})});
  talk->SetInterest(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS -[A]"));
  EXPECT_TRUE(talk[kCds].Held("A")->ambiguous);
  talk.Accept({kCds, "1", "2", {}, {"A"}});
  EXPECT_EQ(talk[kCds].Held("A"), nullptr);
  talk->SetInterest(kCds, Interest::Nothing());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=CDS -[*]"));
  EXPECT_EQ(talk[kCds].held_count(), 0u);
}

TEST(DeltaExample, D5ResubscribeOfSomethingHeld) {
  Conversation talk = Start(kEds, Interest::Names({"foo"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[foo] node{id:n1}"));
  EXPECT_THAT(talk.Accept({kEds, "", "1", Entries({"foo@7"})}), ElementsAre("T=EDS N=1"));
  talk->SetInterest(kEds, Interest::Nothing());
  talk->SetInterest(kEds, Interest::Names({"foo"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[foo]"));
  EXPECT_THAT(talk.Accept({kEds, "", "2", Entries({"foo@7"})}), ElementsAre("T=EDS N=2"));
  EXPECT_EQ(talk[kEds].StateOf("foo"), NameState::kHeld);
}

TEST(DeltaExample, D6HeartbeatAndExpiry) {
  AdsSession::Options options = Conversation::Delta();
  options.node = Node({"xds.config.supports-resource-ttl"});
  Conversation talk(options);
  talk->SetInterest(kRtds, Interest::Names({"rt"}));
  talk->OnStreamOpened();
  talk.Sent();
  const Entry full = {.name = "rt", .version = "3", .ttl_seconds = 30};
  Entry heartbeat = full;
  heartbeat.has_payload = false;
  EXPECT_THAT(talk.Accept({kRtds, "s", "1", {full}}), ElementsAre("T=RTDS N=1"));
  Response response = talk.Hear({kRtds, "s", "2", {heartbeat}});
  EXPECT_TRUE(response.resources[0].heartbeat);
  EXPECT_THAT(response.findings, IsEmpty());
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=RTDS N=2"));

  heartbeat.version = "4";
  response = talk.Hear({kRtds, "s", "3", {heartbeat}});
  EXPECT_FALSE(response.resources[0].heartbeat);
  ASSERT_EQ(response.findings.size(), 1u);
  EXPECT_EQ(response.findings[0].rule, "XDS-S055");
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Nack("not held")).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=RTDS N=3 err{13 not held}"));
  EXPECT_EQ(talk[kRtds].Held("rt")->version, "3");

  ASSERT_EQ(talk->NextExpiry(), std::chrono::seconds(30));
  talk->OnTime(std::chrono::seconds(30));
  EXPECT_EQ(talk[kRtds].StateOf("rt"), NameState::kOpen);
  EXPECT_EQ(talk->NextExpiry(), std::nullopt);
}

TEST(DeltaExample, D7VhdsOnDemand) {
  Conversation talk = Start(kVhds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=VHDS +[] node{id:n1}"));
  EXPECT_THAT(talk.Accept({kVhds, "s", "1", {}}), ElementsAre("T=VHDS N=1"));
  talk->SetInterest(kVhds, Interest::EverythingAnd({"rc1/www.example.com"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=VHDS +[rc1/www.example.com]"));
  EXPECT_EQ(talk[kVhds].StateOf("rc1/www.example.com"), NameState::kOpen);
  const Entry site = {.name = "rc1/site", .version = "v1", .aliases = {"rc1/www.example.com"}};
  EXPECT_THAT(talk.Accept({kVhds, "s", "2", {site}}), ElementsAre("T=VHDS N=2"));
  EXPECT_EQ(talk[kVhds].StateOf("rc1/www.example.com"), NameState::kHeld);
  EXPECT_EQ(talk[kVhds].Canonical("rc1/www.example.com"), "rc1/site");

  talk->SetInterest(kVhds, Interest::EverythingAnd({"rc1/www.example.com", "rc1/nope.example.com"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("T=VHDS +[rc1/nope.example.com]"));
  const Entry nope = {.name = "rc1/nope.example.com", .aliases = {"rc1/nope.example.com"}, .has_payload = false};
  const Response response = talk.Hear({kVhds, "s", "3", {nope}});
  EXPECT_THAT(response.findings, IsEmpty());
  ASSERT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_EQ(talk[kVhds].StateOf("rc1/nope.example.com"), NameState::kAbsent);
}

TEST(DeltaExample, D8StaleNonceWithASubscriptionChange) {
  Conversation talk = Start(kEds, Interest::Names({"p"}));
  talk.Sent();
  const Response fifth = talk.Hear({kEds, "", "5", Entries({"p@1"})});
  const Response sixth = talk.Hear({kEds, "", "6", Entries({"p@2"})});
  talk->SetInterest(kEds, Interest::Names({"p", "q"}));
  ASSERT_TRUE(talk->Answer(fifth.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS +[q] N=5"));
  ASSERT_TRUE(talk->Answer(sixth.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS N=6"));
}

}  // namespace
}  // namespace xdscope::protocol::testing
