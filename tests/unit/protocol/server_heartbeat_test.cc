// The server's half of times to live: who is told of one, who gets heartbeats, when and in which form; with the
// examples E8 and D6 of reference/protocol.md B. The moment is an argument: nothing here waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/protocol/server_talk.h"

namespace xdscope::protocol::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> SentAt(ServerTalk& talk, Moment now) {
  talk.SetTime(now);
  return talk.Sent();
}

// ---- Delta.

TEST(ServerHeartbeat, D6AnEntryWithoutPayloadAtHalfOfTheTimeToLive) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@3~30"});
  EXPECT_THAT(talk.Say("T=RTDS +[rt] node"), ElementsAre("T=RTDS res[rt@3~30] N=1"));
  EXPECT_THAT(talk.Say("T=RTDS N=1"), IsEmpty());
  EXPECT_EQ(talk->NextHeartbeat(), seconds(15));
  EXPECT_THAT(SentAt(talk, milliseconds(14'999)), IsEmpty());
  EXPECT_THAT(SentAt(talk, seconds(15)), ElementsAre("T=RTDS beat[rt@3~30] N=2"));
  EXPECT_THAT(talk.Say("T=RTDS N=2"), IsEmpty());
  EXPECT_EQ(talk->NextHeartbeat(), seconds(30));
  EXPECT_THAT(SentAt(talk, seconds(30)), ElementsAre("T=RTDS beat[rt@3~30] N=3"));
}

TEST(ServerHeartbeat, InDeltaItNeedsNoAnnouncement) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kCds, {"a@1~10", "b@1"});
  EXPECT_THAT(talk.Say("T=CDS"), ElementsAre("T=CDS res[a@1~10,b@1] N=1"));
  talk.Say("T=CDS N=1");
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("T=CDS beat[a@1~10] N=2"));
}

TEST(ServerHeartbeat, WithoutATimeToLiveThereIsNone) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt"});
  talk.Say("T=RTDS +[rt]");
  talk.Say("T=RTDS N=1");
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
  EXPECT_THAT(SentAt(talk, seconds(1'000'000)), IsEmpty());
}

TEST(ServerHeartbeat, WhoHasNotGotTheResourceGetsNone) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"asked", "other@1~10"});
  talk.Say("T=RTDS +[asked]");
  talk.Say("T=RTDS N=1");
  EXPECT_THAT(SentAt(talk, seconds(100)), IsEmpty());
}

TEST(ServerHeartbeat, WhoHasRefusedTheResourceGetsNoneUntilItHasChanged) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~10"});
  talk.Say("T=RTDS +[rt]");
  talk.Say("T=RTDS N=1 err");
  EXPECT_THAT(SentAt(talk, seconds(100)), IsEmpty());
  talk.Set(kRtds, {"rt@2~10"});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=RTDS res[rt@2~10] N=2"));
  talk.Say("T=RTDS N=2");
  EXPECT_THAT(SentAt(talk, seconds(105)), ElementsAre("T=RTDS beat[rt@2~10] N=3"));
}

TEST(ServerHeartbeat, WhoHasGivenTheNameUpGetsNone) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~10", "other@1~10"});
  talk.Say("T=RTDS +[rt,other]");
  talk.Say("T=RTDS -[rt] N=1");
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("T=RTDS beat[other@1~10] N=2"));
  talk.Say("T=RTDS -[other] N=2");
  EXPECT_THAT(SentAt(talk, seconds(10)), IsEmpty());
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
}

TEST(ServerHeartbeat, WhatIsGoneHasNone) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~10"});
  talk.Say("T=RTDS +[rt]");
  talk.Say("T=RTDS N=1");
  talk.Set(kRtds, {});
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("T=RTDS rm[rt] N=2"));
  talk.Say("T=RTDS N=2");
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
}

TEST(ServerHeartbeat, ItWaitsForTheAnswerToWhatWasSentBefore) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~10"});
  talk.Say("T=RTDS +[rt]");
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
  EXPECT_THAT(SentAt(talk, seconds(100)), IsEmpty());
  EXPECT_THAT(talk.Say("T=RTDS N=1"), ElementsAre("T=RTDS beat[rt@1~10] N=2"));
  EXPECT_THAT(SentAt(talk, seconds(200)), IsEmpty());  // and that is not answered either
}

TEST(ServerHeartbeat, AChangeGoesFirst) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"a@1~10", "b@1~10"});
  talk.Say("T=RTDS +[a,b]");
  talk.Say("T=RTDS N=1");
  talk.Set(kRtds, {"a@2~10", "b@1~10"});
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("T=RTDS res[a@2~10] N=2"));
  EXPECT_THAT(talk.Say("T=RTDS N=2"), ElementsAre("T=RTDS beat[a@2~10,b@1~10] N=3"));
}

TEST(ServerHeartbeat, EachTimeToLiveHasItsOwnAndWhatIsNearlyDueGoesAlong) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"fast@1~100", "near@1~104", "slow@1~1000"});
  talk.Say("T=RTDS +[fast,near,slow]");
  talk.Say("T=RTDS N=1");
  EXPECT_THAT(SentAt(talk, seconds(50)), ElementsAre("T=RTDS beat[fast@1~100,near@1~104] N=2"));
  talk.Say("T=RTDS N=2");
  EXPECT_EQ(talk->NextHeartbeat(), seconds(100));
  EXPECT_THAT(SentAt(talk, seconds(500)), ElementsAre("T=RTDS beat[fast@1~100,near@1~104,slow@1~1000] N=3"));
}

TEST(ServerHeartbeat, ATimeToLiveThatChangesIsAChangeAndBeatsByTheNew) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~100"});
  talk.Say("T=RTDS +[rt]");
  talk.Say("T=RTDS N=1");
  talk.Set(kRtds, {"rt@2~10"});
  EXPECT_THAT(SentAt(talk, seconds(20)), ElementsAre("T=RTDS res[rt@2~10] N=2"));
  talk.Say("T=RTDS N=2");
  EXPECT_EQ(talk->NextHeartbeat(), seconds(25));
  talk.Set(kRtds, {"rt@3"});
  EXPECT_THAT(SentAt(talk, seconds(21)), ElementsAre("T=RTDS res[rt@3] N=3"));
  talk.Say("T=RTDS N=3");
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
}

TEST(ServerHeartbeat, AResumedStreamGetsOneAtOnce) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kRtds, {"rt@1~10"});
  talk.SetTime(seconds(1000));
  EXPECT_THAT(talk.Say("T=RTDS +[rt] init{rt:1}"), ElementsAre("T=RTDS beat[rt@1~10] N=1"));
  talk.Say("T=RTDS N=1");
  EXPECT_EQ(talk->NextHeartbeat(), seconds(1005));
}

TEST(ServerHeartbeat, OfVirtualHostsOnDemandThePayloadComesAlong) {
  ServerTalk talk(Variant::kDelta);
  talk.Set(kVhds, {"r/site@1~10"});
  talk.cache().SetAlias("r/www", "r/site");
  EXPECT_THAT(talk.Say("T=VHDS +[r/www]"), ElementsAre("T=VHDS res[r/site@1~10] N=1"));
  talk.Say("T=VHDS N=1");
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("T=VHDS res[r/site@1~10] N=2 beat"));
}

TEST(ServerHeartbeat, TheShortestTimeToLiveDoesNotKeepTheServerBusy) {
  ServerTalk talk(Variant::kDelta);
  auto snapshot = std::make_shared<TypeSnapshot>();
  snapshot->version = "1";
  snapshot->Add({"rt", "1", std::chrono::nanoseconds(1)});
  struct OneState final : ResourceCache {
    std::shared_ptr<const TypeSnapshot> state;
    std::shared_ptr<const TypeSnapshot> Find(std::string_view) const override { return state; }
  } cache;
  cache.state = snapshot;
  ASSERT_TRUE(talk.Hear("T=RTDS +[rt]").ok());
  EXPECT_TRUE(talk->Next(cache, Moment(0)).has_value());
  ASSERT_TRUE(talk.Hear("T=RTDS N=1").ok());
  EXPECT_FALSE(talk->Next(cache, Moment(0)).has_value());
  EXPECT_EQ(talk->NextHeartbeat(), milliseconds(10));
}

// ---- SotW.

TEST(ServerHeartbeat, E8WhoAnnouncesItGetsWrappersAndThePayloadOnceMore) {
  ServerTalk talk(Variant::kSotw);
  talk.Set(kRtds, {"rt@1~30", "other@1~30"}, "5");
  EXPECT_THAT(talk.Say("V= R=[rt] N= T=RTDS node+"), ElementsAre("V=5 R=[rt~30] N=1 T=RTDS"));
  EXPECT_THAT(talk.Say("V=5 R=[rt] N=1 T=RTDS"), IsEmpty());
  EXPECT_THAT(SentAt(talk, seconds(15)), ElementsAre("V=5 R=[rt~30] N=2 T=RTDS beat"));
  EXPECT_THAT(talk.Say("V=5 R=[rt] N=2 T=RTDS"), IsEmpty());
  EXPECT_EQ(talk->NextHeartbeat(), seconds(30));
}

TEST(ServerHeartbeat, WhoDoesNotAnnounceItInSotwIsToldOfNoTimeToLive) {
  ServerTalk talk(Variant::kSotw);
  talk.Set(kRtds, {"rt@1~30"}, "5");
  EXPECT_THAT(talk.Say("V= R=[rt] N= T=RTDS node"), ElementsAre("V=5 R=[rt] N=1 T=RTDS"));
  talk.Say("V=5 R=[rt] N=1 T=RTDS");
  EXPECT_EQ(talk->NextHeartbeat(), std::nullopt);
  EXPECT_THAT(SentAt(talk, seconds(100)), IsEmpty());
}

// An omission means a deletion there, and some clients take a response without payloads for an empty one (XDS-S057).
TEST(ServerHeartbeat, OfClustersInSotwEverythingIsSaid) {
  ServerTalk talk(Variant::kSotw);
  talk.Set(kCds, {"a@1~10", "b@1", "c@1~100"}, "5");
  EXPECT_THAT(talk.Say("T=CDS node+"), ElementsAre("V=5 R=[a~10,b,c~100] N=1 T=CDS"));
  talk.Say("V=5 N=1 T=CDS");
  EXPECT_THAT(SentAt(talk, seconds(5)), ElementsAre("V=5 R=[a~10,b,c~100] N=2 T=CDS beat"));
}

TEST(ServerHeartbeat, WhatWasRefusedInSotwIsNotRepeatedAsAHeartbeat) {
  ServerTalk clusters(Variant::kSotw);
  clusters.Set(kCds, {"a@1~10"}, "5");
  clusters.Say("T=CDS node+");
  clusters.Say("V= N=1 T=CDS err");
  EXPECT_THAT(SentAt(clusters, seconds(100)), IsEmpty());

  ServerTalk runtime(Variant::kSotw);
  runtime.Set(kRtds, {"a@1~10"}, "5");
  runtime.Say("R=[a] T=RTDS node+");
  runtime.Say("V=5 R=[a,b] N=1 T=RTDS");
  runtime.Set(kRtds, {"a@1~10", "b@1~10"}, "6");
  EXPECT_THAT(runtime.Sent(), ElementsAre("V=6 R=[b~10] N=2 T=RTDS"));
  runtime.Say("V=5 R=[a,b] N=2 T=RTDS err");
  EXPECT_THAT(SentAt(runtime, seconds(5)), ElementsAre("V=6 R=[a~10] N=3 T=RTDS beat"));
}

// ---- The fault of servers that insist.

ServerTalk Insistent(Variant variant) {
  ServerSession::Options options;
  options.variant = variant;
  options.resend_refused = true;
  return ServerTalk(options);
}

TEST(ServerResendsRefused, InDelta) {
  ServerTalk talk = Insistent(Variant::kDelta);
  talk.Set(kEds, {"a@1", "b@1"});
  talk.Say("T=EDS +[a,b]");
  EXPECT_THAT(talk.Say("T=EDS N=1 err"), ElementsAre("T=EDS res[a@1,b@1] N=2"));
  EXPECT_THAT(talk.Say("T=EDS N=1 err"), IsEmpty());  // refused once, sent once
  EXPECT_THAT(talk.Say("T=EDS N=2 err"), ElementsAre("T=EDS res[a@1,b@1] N=3"));
  EXPECT_THAT(talk.Say("T=EDS N=3"), IsEmpty());
}

TEST(ServerResendsRefused, InSotw) {
  ServerTalk talk = Insistent(Variant::kSotw);
  talk.Set(kEds, {"a"}, "1");
  talk.Set(kCds, {"a"}, "1");
  talk.Say("R=[a] T=EDS");
  EXPECT_THAT(talk.Say("R=[a] N=1 T=EDS err"), ElementsAre("V=1 R=[a] N=2 T=EDS"));
  EXPECT_THAT(talk.Say("V=1 R=[a] N=2 T=EDS"), IsEmpty());
  talk.Say("T=CDS");
  EXPECT_THAT(talk.Say("N=3 T=CDS err"), ElementsAre("V=1 R=[a] N=4 T=CDS"));
  EXPECT_THAT(talk.Say("V=1 N=4 T=CDS"), IsEmpty());
}

TEST(ServerResendsRefused, RemovalsToo) {
  ServerTalk talk = Insistent(Variant::kDelta);
  talk.Set(kEds, {"a@1"});
  talk.Say("T=EDS +[a]");
  talk.Say("T=EDS N=1");
  talk.Set(kEds, {});
  EXPECT_THAT(talk.Sent(), ElementsAre("T=EDS rm[a] N=2"));
  EXPECT_THAT(talk.Say("T=EDS N=2 err"), ElementsAre("T=EDS rm[a] N=3"));
}

}  // namespace
}  // namespace xdscope::protocol::testing
