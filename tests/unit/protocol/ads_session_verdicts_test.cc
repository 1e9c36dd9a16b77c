// What a session makes of verdicts, and whose response it is that they are given on: the rules of
// reference/protocol.md B.0 to B.3 that the examples do not show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/ads_session.h"
#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- Verdicts.

TEST(AdsSession, AnAckRepeatsTheNonceAndTheNewVersion) {
  Conversation talk = Start(Conversation::Sotw(), kCds, Interest::Everything());
  talk.Sent();
  EXPECT_THAT(talk.Accept({kCds, "v1", "n7", Entries({"a"})}), ElementsAre("V=v1 R=[] N=n7 T=CDS"));
  EXPECT_EQ(talk[kCds].version(), "v1");
  EXPECT_EQ(talk[kCds].nonce(), "n7");
  EXPECT_EQ(talk[kCds].last_verdict(), Verdict::Kind::kAck);
}

TEST(AdsSession, LeavesTheErrorOutOfLaterRequests) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a"})});
  EXPECT_THAT(talk.Refuse({kEds, "2", "2", Entries({"a"})}), ElementsAre("V=1 R=[a] N=2 T=EDS err{13 no}"));
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a,b] N=2 T=EDS"));
  EXPECT_EQ(talk[kEds].last_verdict(), Verdict::Kind::kNack);
}

TEST(AdsSession, AVerdictMayHaveACodeOfItsOwn) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  Verdict refusal = Verdict::Nack("no");
  refusal.code = 3;
  EXPECT_TRUE(talk->Answer(talk.Hear({kEds, "1", "1", Entries({"a"})}).id, refusal).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre("V= R=[a] N=1 T=EDS err{3 no}"));
}

TEST(AdsSession, InterestIsSaidBeforeTheVerdictWhereThatIsDemanded) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a"})});
  talk.Hear({kEds, "2", "2", Entries({"a"})});
  talk->SetInterest(kEds, Interest::Names({"a", "b"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());
  talk->SayInterestNow(kEds);
  EXPECT_THAT(talk.Sent(), ElementsAre("V=1 R=[a,b] N=1 T=EDS"));
  talk->SetInterest(kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Sent(), IsEmpty());  // it was demanded once
}

TEST(AdsSession, APreviewIsWhatIsHandedOutAndHandsNothingOut) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  const std::optional<Request> first = talk->Preview();
  ASSERT_TRUE(first);
  EXPECT_THAT(talk.Sent(), ElementsAre(Line(Variant::kSotw, *first)));
  EXPECT_EQ(talk->Preview(), std::nullopt);
  const Response response = talk.Hear({kEds, "1", "1", Entries({"a"})});
  EXPECT_EQ(talk->Preview(), std::nullopt);
  const std::optional<Request> ack = talk->Preview(response.id);
  ASSERT_TRUE(ack);
  EXPECT_EQ(Line(Variant::kSotw, *ack), "V=1 R=[a] N=1 T=EDS");
  EXPECT_EQ(talk[kEds].version(), "");
  EXPECT_TRUE(talk->Answer(response.id, Verdict::Ack()).ok());
  EXPECT_THAT(talk.Sent(), ElementsAre(Line(Variant::kSotw, *ack)));
}

TEST(AdsSession, WithoutAStreamAPreviewIsThatOfTheNextOne) {
  Conversation talk = Start(Conversation::Delta(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk.Accept({kEds, "1", "1", Entries({"a@5"})});
  talk->OnStreamClosed();
  const std::optional<Request> next = talk->Preview();
  ASSERT_TRUE(next);
  EXPECT_EQ(Line(Variant::kDelta, *next), "T=EDS +[a] init{a:5} node{id:n1}");
  EXPECT_FALSE(talk->stream_is_open());
}

TEST(AdsSession, AnotherNodeIsSaidByTheNextRequestThatSaysOne) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetNode(Node({"x"}));
  talk->OnStreamClosed();
  talk->OnStreamOpened();
  const std::optional<Request> first = talk->NextRequest();
  ASSERT_TRUE(first);
  EXPECT_NE(first->bytes.find(Node({"x"})), std::string::npos);
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

TEST(AdsSession, ANackSaysTheConfiguredCode) {
  AdsSession::Options options = Conversation::Sotw();
  options.nack_code = 3;
  Conversation talk = Start(options, kEds, Interest::Names({"a"}));
  talk.Sent();
  EXPECT_THAT(talk.Refuse({kEds, "1", "1", Entries({"a"})},
                          "a\xff"
                          "b"),
              ElementsAre("V= R=[a] N=1 T=EDS err{3 a?b}"));
}

TEST(AdsSession, ANackHasNoMoreTextThanAllowedAndEndsBetweenCharacters) {
  Conversation talk = Start(Conversation::Sotw(), kEds, Interest::Names({"a"}));
  talk.Sent();
  const std::string allowed(AdsSession::kMostErrorBytes - 1, 'x');
  EXPECT_THAT(talk.Refuse({kEds, "1", "1", Entries({"a"})}, allowed + "é"),
              ElementsAre("V= R=[a] N=1 T=EDS err{13 " + allowed + "}"));
  EXPECT_THAT(talk.Refuse({kEds, "1", "2", Entries({"a"})}, allowed + "yz"),
              ElementsAre("V= R=[a] N=2 T=EDS err{13 " + allowed + "y}"));
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

}  // namespace
}  // namespace xdscope::protocol::testing
