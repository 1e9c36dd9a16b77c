// The examples E1 to E10 of reference/protocol.md B.1, message for message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Conversation Start(std::string_view type_url, const Interest& interest) {
  Conversation talk(Conversation::Sotw());
  talk->SetInterest(type_url, interest);
  talk->OnStreamOpened();
  return talk;
}

TEST(SotwExample, E1FirstFetchAndAck) {
  Conversation talk = Start(kEds, Interest::Names({"foo", "bar"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[bar,foo] N= T=EDS node{id:n1}"));
  EXPECT_THAT(talk.Accept({kEds, "X", "A", Entries({"foo", "bar"})}), ElementsAre("V=X R=[bar,foo] N=A T=EDS"));
}

TEST(SotwExample, E2NackThenSuccess) {
  Conversation talk = Start(kEds, Interest::Names({"foo", "bar"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[bar,foo] N= T=EDS node{id:n1}"));
  EXPECT_THAT(talk.Refuse({kEds, "X", "A", Entries({"foo", "bar"})}, "bad foo"),
              ElementsAre("V= R=[bar,foo] N=A T=EDS err{13 bad foo}"));
  EXPECT_THAT(talk.Accept({kEds, "Y", "B", Entries({"foo", "bar"})}), ElementsAre("V=Y R=[bar,foo] N=B T=EDS"));
}

TEST(SotwExample, E3NameChangeWithoutVersionChangeThenNack) {
  Conversation talk = Start(kEds, Interest::Names({"A"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[A] N= T=EDS node{id:n1}"));
  EXPECT_THAT(talk.Accept({kEds, "1", "1", Entries({"A"})}), ElementsAre("V=1 R=[A] N=1 T=EDS"));
  talk->SetInterest(kEds, Interest::Names({"A", "B"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[A,B] N=1 T=EDS"));
  EXPECT_THAT(talk.Refuse({kEds, "1", "2", Entries({"B"})}), ElementsAre("V=1 R=[A,B] N=2 T=EDS err{13 no}"));
}

TEST(SotwExample, E4RaceWithAStaleRequest) {
  Conversation talk = Start(kEds, Interest::Names({"foo"}));
  talk.Sent();
  EXPECT_THAT(talk.Accept({kEds, "X", "A", Entries({"foo"})}), ElementsAre("V=X R=[foo] N=A T=EDS"));
  talk->SetInterest(kEds, Interest::Names({"foo", "bar"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=X R=[bar,foo] N=A T=EDS"));
  talk->SetInterest(kEds, Interest::Names({"foo", "bar", "baz"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=X R=[bar,baz,foo] N=A T=EDS"));
  EXPECT_THAT(talk.Accept({kEds, "Y", "B", Entries({"foo", "bar"})}), ElementsAre("V=Y R=[bar,baz,foo] N=B T=EDS"));
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kOpen), ElementsAre("baz"));
  talk.Accept({kEds, "Z", "C", Entries({"baz"})});
  EXPECT_THAT(talk[kEds].NamesIn(NameState::kOpen), IsEmpty());
}

TEST(SotwExample, E5FullStateAddAndDelete) {
  Conversation talk = Start(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS node{id:n1}"));
  EXPECT_THAT(talk.Accept({kCds, "1", "1", Entries({"a", "b", "c"})}), ElementsAre("V=1 R=[] N=1 T=CDS"));
  EXPECT_THAT(talk.Accept({kCds, "2", "2", Entries({"a", "b", "c", "d"})}), ElementsAre("V=2 R=[] N=2 T=CDS"));
  EXPECT_EQ(talk[kCds].held_count(), 4u);
  EXPECT_THAT(talk.Accept({kCds, "3", "3", Entries({"a", "c", "d"})}), ElementsAre("V=3 R=[] N=3 T=CDS"));
  EXPECT_EQ(talk[kCds].held_count(), 3u);
  EXPECT_EQ(talk[kCds].StateOf("b"), NameState::kUnwanted);
}

TEST(SotwExample, E6ExplicitWildcardLifeCycle) {
  Conversation talk = Start(kCds, Interest::Everything());
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS node{id:n1}"));
  talk->SetInterest(kCds, Interest::EverythingAnd({"A"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[*,A] N= T=CDS"));
  talk->SetInterest(kCds, Interest::Names({"A"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[A] N= T=CDS"));
  talk->SetInterest(kCds, Interest::Nothing());
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS"));
}

TEST(SotwExample, E7ReconnectKeepsTheVersionAndForgetsTheNonce) {
  Conversation talk = Start(kEds, Interest::Names({"x", "y"}));
  talk.Sent();
  EXPECT_THAT(talk.Accept({kEds, "7", "k", Entries({"x", "y"})}), ElementsAre("V=7 R=[x,y] N=k T=EDS"));
  talk->OnStreamClosed();
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V=7 R=[x,y] N= T=EDS node{id:n1}"));
  EXPECT_EQ(talk[kEds].StateOf("x"), NameState::kHeld);

  talk->OnStreamClosed();
  talk->SetInterest(kEds, Interest::Names({"x", "y", "z"}));
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V=7 R=[x,y,z] N= T=EDS node{id:n1}"));
  EXPECT_EQ(talk[kEds].StateOf("z"), NameState::kOpen);
}

TEST(SotwExample, E8Heartbeat) {
  AdsSession::Options options = Conversation::Sotw();
  options.node = Node({"xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"});
  Conversation talk(options);
  talk->SetInterest(kRtds, Interest::Names({"rt"}));
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[rt] N= T=RTDS node{id:n1}"));
  const Entry full = {.name = "rt", .ttl_seconds = 30, .wrapped = true};
  const Entry heartbeat = {.name = "rt", .ttl_seconds = 30, .wrapped = true, .has_payload = false};
  const Response first = talk.Hear({kRtds, "5", "1", {full}});
  ASSERT_EQ(first.resources.size(), 1u);
  EXPECT_EQ(first.resources[0].ttl, std::chrono::seconds(30));
  EXPECT_TRUE(first.resources[0].has_payload);
  EXPECT_THAT(first.findings, IsEmpty());
  ASSERT_TRUE(talk->Answer(first.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=5 R=[rt] N=1 T=RTDS"));

  const Response second = talk.Hear({kRtds, "5", "2", {heartbeat}});
  EXPECT_TRUE(second.resources[0].heartbeat);
  EXPECT_THAT(second.findings, IsEmpty());
  ASSERT_TRUE(talk->Answer(second.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=5 R=[rt] N=2 T=RTDS"));

  talk->OnTime(std::chrono::seconds(30));
  EXPECT_THAT(talk.Sent(), IsEmpty());
  EXPECT_EQ(talk[kRtds].StateOf("rt"), NameState::kOpen);
}

TEST(SotwExample, E9MissingResource) {
  Conversation talk = Start(kRds, Interest::Names({"A", "B"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[A,B] N= T=RDS node{id:n1}"));
  EXPECT_THAT(talk.Accept({kRds, "1", "1", Entries({"A"})}), ElementsAre("V=1 R=[A,B] N=1 T=RDS"));
  EXPECT_EQ(talk[kRds].StateOf("B"), NameState::kOpen);
  EXPECT_THAT(talk.Accept({kRds, "2", "2", Entries({"B"})}), ElementsAre("V=2 R=[A,B] N=2 T=RDS"));
  EXPECT_EQ(talk[kRds].StateOf("A"), NameState::kHeld);
  EXPECT_EQ(talk[kRds].StateOf("B"), NameState::kHeld);
}

TEST(SotwExample, E10MakeBeforeBreakOnOneStream) {
  Conversation talk = Start(kCds, Interest::Everything());
  talk->SetInterest(kRds, Interest::Names({"r"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[] N= T=CDS node{id:n1}", "V= R=[r] N= T=RDS"));
  talk->SetInterest(kEds, Interest::Names({"X"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[X] N= T=EDS"));
  Response clusters = talk.Hear({kCds, "2", "1", Entries({"X", "Y"})});
  talk->SetInterest(kEds, Interest::Names({"X", "Y"}));
  ASSERT_TRUE(talk->Answer(clusters.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=2 R=[] N=1 T=CDS", "V= R=[X,Y] N= T=EDS"));
  EXPECT_THAT(talk.Accept({kEds, "2", "2", Entries({"Y"})}), ElementsAre("V=2 R=[X,Y] N=2 T=EDS"));
  EXPECT_THAT(talk.Accept({kRds, "2", "3", Entries({"r"})}), ElementsAre("V=2 R=[r] N=3 T=RDS"));
  clusters = talk.Hear({kCds, "3", "4", Entries({"Y"})});
  talk->SetInterest(kEds, Interest::Names({"Y"}));
  ASSERT_TRUE(talk->Answer(clusters.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V=3 R=[] N=4 T=CDS", "V=2 R=[Y] N=2 T=EDS"));
}

}  // namespace
}  // namespace xdscope::protocol::testing
