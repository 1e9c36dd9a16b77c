// What a server gets wrong, rule by rule; and that what is right, or only looks wrong, is not reported.
#include "lib/protocol/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/fields.h"
#include "tests/unit/protocol/conversation.h"

namespace xdscope::protocol::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChecksTest : public ::testing::Test {
 protected:
  static Conversation Ask(AdsSession::Options options, std::string_view type_url, const Interest& interest) {
    Conversation talk(std::move(options));
    talk->SetInterest(type_url, interest);
    talk->OnStreamOpened();
    talk.Sent();
    return talk;
  }
  static AdsSession::Options Announcing(AdsSession::Options options) {
    options.node = Node({"xds.config.supports-resource-in-sotw", "xds.config.supports-resource-ttl"});
    return options;
  }
  static AdsSession::Options OnlyType(AdsSession::Options options, std::string_view type_url) {
    options.only_type = type_url;
    return options;
  }

  Conversation sotw_ = Ask(Conversation::Sotw(), kEds, Interest::Names({"a", "b"}));
  Conversation clusters_ = Ask(Conversation::Sotw(), kCds, Interest::Everything());
  Conversation delta_ = Ask(Conversation::Delta(), kEds, Interest::Names({"a", "b"}));
};

// ---- Envelope.

TEST_F(ChecksTest, NothingIsWrongWithGoodResponses) {
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", Entries({"a", "b"})}), IsEmpty());
  EXPECT_THAT(clusters_.Findings({kCds, "1", "1", Entries({"a", "b"})}), IsEmpty());
  EXPECT_THAT(delta_.Findings({kEds, "s", "1", Entries({"a@1"}), {"b"}}), IsEmpty());
}

TEST_F(ChecksTest, S001NoNonce) {
  EXPECT_THAT(sotw_.Findings({kEds, "1", "", Entries({"a"})}), ElementsAre("XDS-S001 error"));
}

TEST_F(ChecksTest, S002ANonceUsedTwice) {
  sotw_.Findings({kEds, "1", "1", Entries({"a"})});
  EXPECT_THAT(sotw_.Findings({kEds, "2", "1", Entries({"a"})}), ElementsAre("XDS-S002 error"));
}

TEST_F(ChecksTest, S002ANonceOfAnEarlierStreamIsNoNews) {
  sotw_.Findings({kEds, "1", "1", Entries({"a"})});
  sotw_->OnStreamClosed();
  sotw_->OnStreamOpened();
  sotw_.Sent();
  EXPECT_THAT(sotw_.Findings({kEds, "2", "1", Entries({"a"})}), IsEmpty());
}

TEST_F(ChecksTest, S003ANonceForTwoTypesIsSaidOncePerType) {
  sotw_->SetInterest(kRds, Interest::Names({"r"}));
  sotw_.Sent();
  sotw_.Findings({kEds, "1", "1", Entries({"a"})});
  sotw_.Findings({kEds, "1", "2", Entries({"a"})});
  EXPECT_THAT(sotw_.Findings({kRds, "1", "1", Entries({"r"})}), ElementsAre("XDS-S003 info"));
  EXPECT_THAT(sotw_.Findings({kRds, "1", "2", Entries({"r"})}), IsEmpty());
}

TEST_F(ChecksTest, S004NoTypeOnAnAggregatedStream) {
  EXPECT_THAT(sotw_.Findings({"", "1", "1", {}}), ElementsAre("XDS-S004 error"));
}

TEST_F(ChecksTest, S005NoTypeOnAStreamOfOneType) {
  Conversation talk = Ask(OnlyType(Conversation::Sotw(), kEds), kEds, Interest::Names({"a"}));
  Words words{"", "1", "1", Entries({"a"})};
  words.entries[0].type_url = kEds;
  EXPECT_THAT(talk.Findings(words), ElementsAre("XDS-S005 warning"));
}

TEST_F(ChecksTest, S006AnotherTypeOnAStreamOfOneType) {
  Conversation talk = Ask(OnlyType(Conversation::Sotw(), kEds), kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Findings({kRds, "1", "1", Entries({"r"})}), ElementsAre("XDS-S006 error"));
}

TEST_F(ChecksTest, S007AResourceOfAnotherType) {
  Words words{kEds, "1", "1", Entries({"a", "b"})};
  words.entries[1].type_url = kCds;
  EXPECT_THAT(sotw_.Findings(words), ElementsAre("XDS-S007 error"));
  words.entries[1].version = "1";
  words.entries[0].version = "1";
  EXPECT_THAT(delta_.Findings(words), ElementsAre("XDS-S007 error 'b'"));
}

TEST_F(ChecksTest, S007NotForRedirectsAndCollections) {
  Words words{kEds, "s", "1", Entries({"a@1", "b@1"})};
  words.entries[0].type_url = "type.googleapis.com/xds.core.v3.ResourceLocator";
  words.entries[1].type_url = "type.googleapis.com/envoy.config.endpoint.v3.LbEndpointCollection";
  EXPECT_THAT(delta_.Findings(words), IsEmpty());
}

TEST_F(ChecksTest, S008AWrappedResourceOfAnotherType) {
  Conversation talk = Ask(Announcing(Conversation::Sotw()), kEds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Findings({kEds, "1", "1", {{.name = "a", .wrapped = true, .type_url = std::string(kCds)}}}),
              ElementsAre("XDS-S008 error 'a'"));
}

TEST_F(ChecksTest, S009ATypeThatWasNotAskedFor) {
  EXPECT_THAT(sotw_.Findings({kRds, "1", "1", Entries({"r"})}), ElementsAre("XDS-S009 error"));
}

TEST_F(ChecksTest, S010TheOtherApiVersion) {
  EXPECT_THAT(clusters_.Findings({kCdsV2, "1", "1", Entries({"a"})}), ElementsAre("XDS-S010 error"));
}

TEST_F(ChecksTest, S011AnUnusualPrefix) {
  EXPECT_THAT(clusters_.Findings({"envoy.config.cluster.v3.Cluster", "1", "1", Entries({"a"})}),
              ElementsAre("XDS-S011 warning"));
  Conversation unknown = Ask(Conversation::Sotw(), "istio.io/Unknown", Interest::Everything());
  EXPECT_THAT(unknown.Findings({"istio.io/Unknown", "1", "1", Entries({"a"})}), ElementsAre("XDS-S011 info"));
}

TEST_F(ChecksTest, S012AWrapperThatCannotBeRead) {
  std::string any;
  base::AppendBytes(&any, 1, "type.googleapis.com/envoy.service.discovery.v3.Resource");
  base::AppendBytes(&any, 2, "\xff");
  std::string bytes = SotwBytes({kEds, "1", "1", Entries({"a"})});
  base::AppendBytes(&bytes, 2, any);
  const auto response = sotw_->OnMessage(std::make_shared<const std::string>(bytes));
  ASSERT_TRUE(response.ok());
  ASSERT_EQ(response->findings.size(), 1u);
  EXPECT_EQ(response->findings[0].rule, "XDS-S012");
  EXPECT_TRUE(response->resources[1].unreadable);
}

TEST_F(ChecksTest, S019TheControlPlaneChanges) {
  Words words{kEds, "1", "1", Entries({"a"})};
  words.control_plane = "pod-1";
  EXPECT_THAT(sotw_.Findings(words), IsEmpty());
  words.nonce = "2";
  words.control_plane = "pod-2";
  EXPECT_THAT(sotw_.Findings(words), ElementsAre("XDS-S019 info"));
}

TEST_F(ChecksTest, S021TheServerSpeaksFirst) {
  Conversation talk(Conversation::Sotw());
  talk->SetInterest(kCds, Interest::Everything());
  talk->OnStreamOpened();
  EXPECT_THAT(talk.Findings({kCds, "1", "1", Entries({"a"})}), ElementsAre("XDS-S021 error"));
}

TEST_F(ChecksTest, S023NoVersion) {
  EXPECT_THAT(sotw_.Findings({kEds, "", "1", Entries({"a"})}), ElementsAre("XDS-S023 warning"));
}

// ---- Names.

TEST_F(ChecksTest, S014NoName) {
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", Entries({""})}), ElementsAre("XDS-S014 error"));
  EXPECT_THAT(clusters_.Findings({kCds, "1", "1", Entries({""})}), ElementsAre("XDS-S014 error"));
}

TEST_F(ChecksTest, S014NotForAnUnknownType) {
  Conversation unknown = Ask(Conversation::Sotw(), "type.googleapis.com/Unknown", Interest::Everything());
  EXPECT_THAT(unknown.Findings({"type.googleapis.com/Unknown", "1", "1", Entries({"", ""})}), IsEmpty());
}

TEST_F(ChecksTest, S016ANameTwice) {
  const Words words{kEds, "1", "1", Entries({"a@1", "b@1", "a@2"})};
  EXPECT_THAT(sotw_.Findings(words), ElementsAre("XDS-S016 error 'a'"));
  EXPECT_THAT(delta_.Findings(words), ElementsAre("XDS-S016 error 'a'"));
  EXPECT_EQ(delta_[kEds].Held("a")->version, "1");
}

TEST_F(ChecksTest, S017WrapperAndPayloadDisagree) {
  Words words{kEds, "s", "1", Entries({"a@1"})};
  words.entries[0].payload_name = "other";
  EXPECT_THAT(delta_.Findings(words), ElementsAre("XDS-S017 error 'a'"));
  Conversation vhds = Ask(Conversation::Delta(), kVhds, Interest::Names({"rc/a"}));
  EXPECT_THAT(vhds.Findings({kVhds, "s", "1", {{.name = "rc/a", .version = "1", .payload_name = "other"}}}), IsEmpty());
}

TEST_F(ChecksTest, S017IsAWarningForAnXdstpWrapper) {
  const std::string name = "xdstp://x/envoy.config.endpoint.v3.ClusterLoadAssignment/a";
  Conversation talk = Ask(Conversation::Delta(), kEds, Interest::Names({name}));
  EXPECT_THAT(talk.Findings({kEds, "s", "1", {{.name = name, .version = "1", .payload_name = "a"}}}),
              ElementsAre("XDS-S017 warning '" + name + "'"));
}

TEST_F(ChecksTest, S020ErrorsOfWhatIsDeliveredOrUnaskedOrUnusual) {
  const Words words{.type_url = kEds,
                    .version = "1",
                    .nonce = "1",
                    .entries = Entries({"a"}),
                    .removed = {},
                    .errors = {{"a", 14}, {"z", 5}, {"b", 9}}};
  EXPECT_THAT(sotw_.Findings(words), ElementsAre("XDS-S020 error 'a'", "XDS-S020 warning 'z'", "XDS-S020 info 'b'"));
}

// ---- What was asked for.

TEST_F(ChecksTest, S024SomethingIsMissingAtTheSameVersion) {
  clusters_.Findings({kCds, "1", "1", Entries({"a", "b"})});
  EXPECT_THAT(clusters_.Findings({kCds, "1", "2", Entries({"b"})}), ElementsAre("XDS-S024 error"));
}

TEST_F(ChecksTest, S024NotWhenTheVersionMovesOrTheTypeIsAnother) {
  clusters_.Findings({kCds, "1", "1", Entries({"a", "b"})});
  EXPECT_THAT(clusters_.Findings({kCds, "2", "2", Entries({"b"})}), IsEmpty());
  sotw_.Findings({kEds, "1", "1", Entries({"a"})});
  EXPECT_THAT(sotw_.Findings({kEds, "1", "2", Entries({"b"})}), IsEmpty());
}

TEST_F(ChecksTest, S027UnaskedResources) {
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", Entries({"a", "b", "z"})}), ElementsAre("XDS-S027 info"));
  EXPECT_THAT(sotw_.Findings({kEds, "2", "2", Entries({"a", "y", "z"})}), ElementsAre("XDS-S027 warning"));
}

TEST_F(ChecksTest, S027NotForWhatWasAskedForEarlier) {
  sotw_->SetInterest(kEds, Interest::Names({"b"}));
  sotw_.Sent();
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", Entries({"a", "b"})}), IsEmpty());
}

TEST_F(ChecksTest, S036AnEmptyResponseTakesNothingAway) {
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", {}}), ElementsAre("XDS-S036 info"));
  sotw_.Findings({kEds, "2", "2", Entries({"a"})});
  EXPECT_THAT(sotw_.Findings({kEds, "3", "3", {}}), ElementsAre("XDS-S036 warning"));
  EXPECT_THAT(clusters_.Findings({kCds, "1", "1", {}}), IsEmpty());
}

TEST_F(ChecksTest, S037ADeltaTypeAsStateOfTheWorld) {
  Conversation talk = Ask(Announcing(Conversation::Sotw()), kVhds, Interest::Names({"rc/a"}));
  EXPECT_THAT(talk.Findings({kVhds, "1", "1", {{.name = "rc/a", .wrapped = true}}}), ElementsAre("XDS-S037 error"));
}

TEST_F(ChecksTest, S068GoingOnThoughNothingIsWanted) {
  sotw_.Findings({kEds, "1", "1", Entries({"a"})});
  sotw_->SetInterest(kEds, Interest::Nothing());
  sotw_.Sent();
  EXPECT_THAT(sotw_.Findings({kEds, "2", "2", Entries({"a"})}), IsEmpty());
  EXPECT_THAT(sotw_.Findings({kEds, "3", "3", Entries({"a"})}), IsEmpty()) << "both may have crossed";
  sotw_->SetInterest(kRds, Interest::Names({"r"}));
  sotw_.Sent();
  EXPECT_THAT(sotw_.Findings({kEds, "4", "4", Entries({"a"})}), IsEmpty()) << "it may have crossed still";
  EXPECT_THAT(sotw_.Findings({kRds, "1", "5", Entries({"r"})}), IsEmpty());
  EXPECT_THAT(sotw_.Findings({kEds, "5", "6", Entries({"a"})}), ElementsAre("XDS-S068 error"))
      << "a later request has had its answer";
}

TEST_F(ChecksTest, S068AnEmptyListReadAsEverything) {
  sotw_->SetInterest(kEds, Interest::Nothing());
  sotw_.Sent();
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", Entries({"a", "b", "z"})}), ElementsAre("XDS-S068 error"));
}

TEST_F(ChecksTest, S024NeedsAServerThatHasReadThatANameIsAskedForAgain) {
  Conversation talk = Ask(Conversation::Sotw(), kCds, Interest::Names({"a", "b"}));
  talk->SetInterest(kCds, Interest::Names({"a"}));
  talk.Sent();
  talk->SetInterest(kCds, Interest::Names({"a", "b"}));
  talk.Sent();
  EXPECT_THAT(talk.Findings({kCds, "1", "1", Entries({"a", "b"})}), IsEmpty()) << "answers the first request";
  EXPECT_THAT(talk.Findings({kCds, "1", "2", Entries({"a"})}), IsEmpty()) << "answers the second";
  EXPECT_THAT(talk.Findings({kCds, "1", "3", Entries({"b"})}), ElementsAre("XDS-S024 error"))
      << "'a' was asked for all the time";
}

TEST_F(ChecksTest, ANameWithAControlCharacterIsAName) {
  const std::string name = "a\nb";
  Conversation talk = Ask(Conversation::Sotw(), kEds, Interest::Names({name}));
  EXPECT_THAT(talk.Findings({kEds, "1", "1", Entries({name})}), IsEmpty());
  EXPECT_EQ(talk[kEds].StateOf(name), NameState::kHeld);
}

// ---- Delta.

TEST_F(ChecksTest, S015BothNames) {
  std::string any;
  base::AppendBytes(&any, 1, kEds);
  base::AppendBytes(&any, 2, Payload("a"));
  std::string resource;
  base::AppendBytes(&resource, 3, "a");
  base::AppendBytes(&resource, 1, "1");
  base::AppendBytes(&resource, 8, Payload("b"));
  base::AppendBytes(&resource, 2, any);
  std::string bytes = DeltaBytes({kEds, "s", "1", {}});
  base::AppendBytes(&bytes, 2, resource);
  const auto response = delta_->OnMessage(std::make_shared<const std::string>(bytes));
  ASSERT_TRUE(response.ok());
  ASSERT_EQ(response->findings.size(), 1u);
  EXPECT_EQ(response->findings[0].rule, "XDS-S015");
}

TEST_F(ChecksTest, S038NoResourceVersion) {
  EXPECT_THAT(delta_.Findings({kEds, "s", "1", Entries({"a", "b"})}), ElementsAre("XDS-S038 warning"));
}

TEST_F(ChecksTest, S039And040RemovedTwiceOrDeliveredToo) {
  EXPECT_THAT(delta_.Findings({kEds, "s", "1", Entries({"a@1"}), {"a", "b", "b"}}),
              ElementsAre("XDS-S039 error 'a'", "XDS-S040 error 'b'"));
}

TEST_F(ChecksTest, S041TheOldFormOfDoesNotExist) {
  EXPECT_THAT(delta_.Findings({kEds, "s", "1", {{.name = "a", .has_payload = false}}}),
              ElementsAre("XDS-S041 warning 'a'"));
}

TEST_F(ChecksTest, S050RemovalOfSomethingUnknown) {
  EXPECT_THAT(delta_.Findings({kEds, "s", "1", {}, {"z"}}), ElementsAre("XDS-S050 info 'z'"));
}

TEST_F(ChecksTest, S051NoSystemVersionIsSaidOnce) {
  EXPECT_THAT(delta_.Findings({kEds, "", "1", Entries({"a@1"})}), ElementsAre("XDS-S051 info"));
  EXPECT_THAT(delta_.Findings({kEds, "", "2", Entries({"a@2"})}), IsEmpty());
}

TEST_F(ChecksTest, S070TheStarTakenForAName) {
  Conversation talk = Ask(Conversation::Delta(), kCds, Interest::Names({"*"}));
  EXPECT_THAT(talk.Findings({kCds, "s", "1", {}, {"*"}}), ElementsAre("XDS-S070 info '*'"));
}

// ---- Wrappers, TTL, heartbeats.

TEST_F(ChecksTest, S055And056HeartbeatsOfSomethingElse) {
  Conversation talk = Ask(Announcing(Conversation::Sotw()), kRtds, Interest::Names({"a", "b"}));
  Entry entry{.name = "a", .ttl_seconds = 1, .wrapped = true};
  EXPECT_THAT(talk.Findings({kRtds, "1", "1", {entry}}), IsEmpty());
  entry.has_payload = false;
  EXPECT_THAT(talk.Findings({kRtds, "2", "2", {entry}}), ElementsAre("XDS-S055 error 'a'"));
  entry.version = "other";
  EXPECT_THAT(talk.Findings({kRtds, "1", "3", {entry}}), ElementsAre("XDS-S055 warning 'a'"));
  entry.name = "b";
  EXPECT_THAT(talk.Findings({kRtds, "1", "4", {entry}}), ElementsAre("XDS-S056 error 'b'"));
}

TEST_F(ChecksTest, S055AHeartbeatOfAResponseThatStillWaits) {
  Conversation talk = Ask(Announcing(Conversation::Delta()), kRtds, Interest::Names({"a"}));
  Entry entry{.name = "a", .version = "1", .ttl_seconds = 1};
  talk.Hear({kRtds, "s", "1", {entry}});
  entry.has_payload = false;
  const Response heartbeat = talk.Hear({kRtds, "s", "2", {entry}});
  EXPECT_TRUE(heartbeat.resources[0].heartbeat);
  EXPECT_THAT(heartbeat.findings, IsEmpty());
}

TEST_F(ChecksTest, S056AHeartbeatOfWhatIsNotHeld) {
  Conversation talk = Ask(Announcing(Conversation::Delta()), kRtds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Findings({kRtds, "s", "1", {{.name = "a", .version = "1", .ttl_seconds = 1, .has_payload = false}}}),
              ElementsAre("XDS-S056 error 'a'"));
}

TEST_F(ChecksTest, S058And059WhatWasNotAnnounced) {
  Entry entry{.name = "a", .ttl_seconds = 1, .wrapped = true};
  EXPECT_THAT(sotw_.Findings({kEds, "1", "1", {entry}}), ElementsAre("XDS-S059 error", "XDS-S058 warning"));
  entry.ttl_seconds.reset();
  entry.version = "1";
  EXPECT_THAT(delta_.Findings({kEds, "1", "1", {entry}}), IsEmpty());  // delta always wraps
}

TEST_F(ChecksTest, S060ATimeToLiveOfNothing) {
  Conversation talk = Ask(Announcing(Conversation::Delta()), kRtds, Interest::Names({"a"}));
  EXPECT_THAT(talk.Findings({kRtds, "s", "1", {{.name = "a", .version = "1", .ttl_seconds = 0}}}),
              ElementsAre("XDS-S060 error 'a'"));
}

TEST_F(ChecksTest, S064VhdsHasNoHeartbeats) {
  Conversation talk = Ask(Announcing(Conversation::Delta()), kVhds, Interest::Names({"rc/a"}));
  talk.Findings({kVhds, "s", "1", {{.name = "rc/a", .version = "1"}}});
  EXPECT_THAT(
      talk.Findings({kVhds, "s", "2", {{.name = "rc/a", .version = "1", .ttl_seconds = 1, .has_payload = false}}}),
      ElementsAre("XDS-S064 warning 'rc/a'"));
}

TEST_F(ChecksTest, SaysWhichEntryItMeans) {
  const Response response = sotw_.Hear({kEds, "1", "1", Entries({"a", "b", "b"})});
  ASSERT_EQ(response.findings.size(), 1u);
  EXPECT_EQ(response.findings[0].entry, 2u);
}

}  // namespace
}  // namespace xdscope::protocol::testing
