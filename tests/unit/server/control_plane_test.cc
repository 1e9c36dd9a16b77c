#include "lib/server/control_plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/response.h"
#include "lib/schema/schema.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_server_stream.h"
#include "tests/fake/messages.h"

namespace xdscope::server {
namespace {

using fake::DeltaRequest;
using fake::kCds;
using fake::kCdsV2;
using fake::kEds;
using fake::SotwRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kStreamCds[] = "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters";
constexpr char kFetchCds[] = "/envoy.service.cluster.v3.ClusterDiscoveryService/FetchClusters";
constexpr char kFetchEds[] = "/envoy.service.endpoint.v3.EndpointDiscoveryService/FetchEndpoints";
constexpr char kAds[] = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
constexpr char kDeltaAds[] = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
constexpr char kStreamCdsV2[] = "/envoy.api.v2.ClusterDiscoveryService/StreamClusters";

ResourcePtr Make(std::string_view type_url, std::string name, std::string version, std::string payload = {}) {
  FileResource resource{std::string(type_url), std::move(name), std::move(version), {}, {}, "a.yaml:1"};
  resource.payload = payload.empty() ? fake::Payload(resource.name) : std::move(payload);
  return std::make_shared<const FileResource>(std::move(resource));
}

ResourcePtr Mortal(std::string_view type_url, std::string name, std::chrono::seconds ttl) {
  FileResource resource = *Make(type_url, std::move(name), "1");
  resource.ttl = ttl;
  return std::make_shared<const FileResource>(std::move(resource));
}

struct Sent {
  std::string type_url;
  std::string version;
  std::string nonce;
  std::vector<std::string> names;
};

Sent Read(const std::string& bytes) {
  const auto response = protocol::ReadResponse(protocol::Variant::kSotw, std::make_shared<const std::string>(bytes));
  EXPECT_TRUE(response.ok()) << response.status();
  Sent sent{std::string(response->said_type_url), std::string(response->version), std::string(response->nonce), {}};
  for (const protocol::Resource& resource : response->resources) {
    sent.names.emplace_back(types::NameInPayload(resource.type_url, resource.payload));
  }
  return sent;
}

class ControlPlaneTest : public ::testing::Test {
 protected:
  fake::FakeServerStream& Open(const char* method) {
    plane_.Take(streams_.Open(method));
    return streams_.last();
  }
  void Change(const std::vector<ResourcePtr>& resources) { plane_.Push(inventory_.Set(resources).changes); }

  // A delta client that has everything of a type, each answered.
  fake::FakeServerStream& OpenDelta(std::string_view type_url) {
    fake::FakeServerStream& stream = Open(kDeltaAds);
    stream.Deliver(DeltaRequest({.type_url = type_url}));
    stream.Written();
    Answer(stream, type_url);
    return stream;
  }
  // ACKs the last response; its nonce is its number.
  static void Answer(fake::FakeServerStream& stream, std::string_view type_url) {
    stream.Deliver(DeltaRequest({.type_url = type_url, .nonce = std::to_string(stream.written.size())}));
  }
  // A plane that does something wrong.
  std::unique_ptr<ControlPlane> Faulty(Faults faults) {
    return std::make_unique<ControlPlane>(clock_, inventory_, observer_, types_, ControlPlane::Options{false, faults});
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  Inventory inventory_;
  Observer observer_;
  fake::FakeServerStreams streams_;
  ControlPlane plane_{clock_, inventory_, observer_, types_, {}};
};

TEST_F(ControlPlaneTest, AStreamIsAnsweredAndPushedTo) {
  Change({Make(kCds, "a", "1")});
  fake::FakeServerStream& stream = Open(kStreamCds);
  stream.Deliver(SotwRequest({.type_url = kCds}));
  ASSERT_THAT(stream.written, SizeIs(1));
  const Sent first = Read(stream.written[0]);
  EXPECT_THAT(first.names, ElementsAre("a"));
  stream.Written();
  stream.Deliver(SotwRequest({.type_url = kCds, .version = first.version, .nonce = first.nonce}));
  EXPECT_THAT(stream.written, SizeIs(1));
  Change({Make(kCds, "a", "1"), Make(kCds, "b", "1")});
  ASSERT_THAT(stream.written, SizeIs(2));
  EXPECT_THAT(Read(stream.written[1]).names, ElementsAre("a", "b"));
  EXPECT_NE(Read(stream.written[1]).version, first.version);
}

TEST_F(ControlPlaneTest, AClientThatDoesNotReadCostsOneMessage) {
  Change({Make(kCds, "a", "1")});
  fake::FakeServerStream& stream = Open(kStreamCds);
  stream.Deliver(SotwRequest({.type_url = kCds}));
  for (int i = 2; i < 100; ++i) Change({Make(kCds, "a", std::to_string(i))});
  EXPECT_THAT(stream.written, SizeIs(1));
  stream.Written();
  EXPECT_THAT(stream.written, SizeIs(2));  // the last state alone
  stream.Written();
  EXPECT_THAT(stream.written, SizeIs(2));
}

TEST_F(ControlPlaneTest, EndpointsOfAChangedClusterAreSaidAgain) {
  const std::string uses_ads = fake::EdsCluster("a", fake::AdsSource());
  Change({Make(kCds, "a", "1", uses_ads), Make(kEds, "a", "1")});
  fake::FakeServerStream& stream = Open(kAds);
  stream.Deliver(SotwRequest({.type_url = kCds}));
  stream.Written();
  stream.Deliver(SotwRequest({.type_url = kCds, .version = "1", .nonce = Read(stream.written[0]).nonce}));
  stream.Deliver(SotwRequest({.type_url = kEds, .names = {"a"}}));
  stream.Written();
  stream.Deliver(
      SotwRequest({.type_url = kEds, .version = "1", .nonce = Read(stream.written[1]).nonce, .names = {"a"}}));
  ASSERT_THAT(stream.written, SizeIs(2));
  Change({Make(kCds, "a", "2", uses_ads), Make(kEds, "a", "1")});
  ASSERT_THAT(stream.written, SizeIs(3));
  EXPECT_EQ(Read(stream.written[2]).type_url, kCds);
  stream.Written();
  ASSERT_THAT(stream.written, SizeIs(4));
  EXPECT_EQ(Read(stream.written[3]).type_url, kEds);
  EXPECT_THAT(Read(stream.written[3]).names, ElementsAre("a"));
}

TEST_F(ControlPlaneTest, AClientThatHasSaidAllIsClosedWhenItHasAll) {
  Change({Make(kCds, "a", "1")});
  fake::FakeServerStream& stream = Open(kStreamCds);
  stream.Deliver(SotwRequest({.type_url = kCds}));
  stream.HalfClose();
  EXPECT_FALSE(stream.closed.has_value());  // the answer is on its way
  stream.Written();
  ASSERT_TRUE(stream.closed.has_value());
  EXPECT_TRUE(stream.closed->ok());
}

TEST_F(ControlPlaneTest, AUnaryCallHasOneAnswerEvenIfThereIsNothing) {
  fake::FakeServerStream& none = Open(kFetchEds);
  none.Deliver(SotwRequest({.type_url = kEds, .names = {"no-such"}}));
  ASSERT_THAT(none.written, SizeIs(1));
  EXPECT_THAT(Read(none.written[0]).names, IsEmpty());
  EXPECT_EQ(Read(none.written[0]).type_url, kEds);
  none.Written();
  EXPECT_EQ(none.closed, absl::OkStatus());

  Change({Make(kCds, "a", "1")});
  fake::FakeServerStream& one = Open(kFetchCds);
  one.Deliver(SotwRequest({}));  // the method says the type
  ASSERT_THAT(one.written, SizeIs(1));
  EXPECT_THAT(Read(one.written[0]).names, ElementsAre("a"));
}

TEST_F(ControlPlaneTest, AUnaryCallWithoutARequestIsRefused) {
  fake::FakeServerStream& stream = Open(kFetchCds);
  stream.HalfClose();
  EXPECT_EQ(stream.closed, absl::InvalidArgumentError("a request is missing"));
}

TEST_F(ControlPlaneTest, GarbageEndsTheStreamWithItsReason) {
  fake::FakeServerStream& stream = Open(kStreamCds);
  stream.Deliver("\xff\xff\xff");
  ASSERT_TRUE(stream.closed.has_value());
  EXPECT_EQ(stream.closed->code(), absl::StatusCode::kDataLoss);
  stream.End();
  EXPECT_TRUE(stream.dropped);
}

TEST_F(ControlPlaneTest, TypesThatExistInDeltaOnlyAreRefusedElsewhere) {
  fake::FakeServerStream& stream = Open(kAds);
  stream.Deliver(SotwRequest({.type_url = fake::kVhds, .names = {"routes/x"}}));
  ASSERT_TRUE(stream.closed.has_value());
  EXPECT_EQ(stream.closed->code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(stream.closed->ToString(), HasSubstr("delta variants only"));
}

TEST_F(ControlPlaneTest, OtherMethodsAndV2AreUnimplemented) {
  fake::FakeServerStream& other = Open("/grpc.health.v1.Health/Check");
  ASSERT_TRUE(other.closed.has_value());
  EXPECT_EQ(other.closed->code(), absl::StatusCode::kUnimplemented);
  other.End();
  EXPECT_TRUE(other.dropped);
  fake::FakeServerStream& v2 = Open(kStreamCdsV2);
  ASSERT_TRUE(v2.closed.has_value());
  EXPECT_THAT(v2.closed->ToString(), HasSubstr("v2 API is not served"));
  v2.End();
}

TEST_F(ControlPlaneTest, V2IsServedWhenAsked) {
  ControlPlane plane(clock_, inventory_, observer_, types_, {.v2 = true});
  (void)inventory_.Set({Make(kCdsV2, "old", "1"), Make(kCds, "new", "1")});
  plane.Take(streams_.Open(kStreamCdsV2));
  fake::FakeServerStream& stream = streams_.last();
  stream.Deliver(SotwRequest({.type_url = kCdsV2}));
  ASSERT_THAT(stream.written, SizeIs(1));
  EXPECT_THAT(Read(stream.written[0]).names, ElementsAre("old"));
}

TEST_F(ControlPlaneTest, AClientThatLeavesIsForgotten) {
  fake::FakeServerStream& stream = Open(kAds);
  stream.End(absl::CancelledError("gone"));
  EXPECT_TRUE(stream.dropped);
}

// ---- Heartbeats.

TEST_F(ControlPlaneTest, HeartbeatsComeAtHalfOfTheTimeToLiveAsLongAsTheyAreAnswered) {
  Change({Mortal(kCds, "a", std::chrono::seconds(10))});
  fake::FakeServerStream& stream = OpenDelta(kCds);
  for (std::size_t beats = 1; beats <= 5; ++beats) {
    clock_.Advance(std::chrono::milliseconds(4999));
    ASSERT_THAT(stream.written, SizeIs(beats));
    clock_.Advance(std::chrono::milliseconds(1));
    ASSERT_THAT(stream.written, SizeIs(beats + 1));
    stream.Written();
    Answer(stream, kCds);
  }
  const auto beat =
      protocol::ReadResponse(protocol::Variant::kDelta, std::make_shared<const std::string>(stream.written.back()));
  ASSERT_TRUE(beat.ok());
  ASSERT_THAT(beat->resources, SizeIs(1));
  EXPECT_EQ(beat->resources[0].name, "a");
  EXPECT_EQ(beat->resources[0].version, "1");
  EXPECT_EQ(beat->resources[0].ttl, std::chrono::seconds(10));
  EXPECT_FALSE(beat->resources[0].has_payload);
}

TEST_F(ControlPlaneTest, AClientThatDoesNotReadOrAnswerGetsOneHeartbeat) {
  Change({Mortal(kCds, "a", std::chrono::seconds(10))});
  fake::FakeServerStream& stream = OpenDelta(kCds);
  clock_.Advance(std::chrono::seconds(100));
  EXPECT_THAT(stream.written, SizeIs(2));
  stream.Written();
  clock_.Advance(std::chrono::seconds(100));
  EXPECT_THAT(stream.written, SizeIs(2));
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ControlPlaneTest, AllClientsShareOneTimerAndThoseThatLeftCostNone) {
  Change({Mortal(kCds, "a", std::chrono::seconds(10)), Make(kEds, "a", "1")});
  EXPECT_EQ(clock_.waiting(), 0U);
  fake::FakeServerStream& immortal = OpenDelta(kEds);
  EXPECT_EQ(clock_.waiting(), 0U);
  fake::FakeServerStream& first = OpenDelta(kCds);
  clock_.Advance(std::chrono::seconds(1));
  fake::FakeServerStream& second = OpenDelta(kCds);
  EXPECT_EQ(clock_.waiting(), 1U);
  first.End();
  EXPECT_EQ(clock_.waiting(), 1U);
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_THAT(second.written, SizeIs(2));
  EXPECT_THAT(immortal.written, SizeIs(1));
  second.Written();
  Answer(second, kCds);
  EXPECT_EQ(clock_.waiting(), 1U);
  second.End();
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ControlPlaneTest, AResourceWithATimeToLiveIsWrappedInSotwForWhoAnnouncesIt) {
  Change({Mortal(kCds, "a", std::chrono::seconds(10)), Make(kCds, "b", "1")});
  const auto response = [this](const std::vector<std::string>& features) {
    fake::FakeServerStream& stream = Open(kStreamCds);
    stream.Deliver(SotwRequest({.type_url = kCds, .node = fake::Node("n", features)}));
    return protocol::ReadResponse(protocol::Variant::kSotw, std::make_shared<const std::string>(stream.written.at(0)))
        .value();
  };
  const protocol::Response plain = response({"xds.config.resource-in-sotw"});
  ASSERT_THAT(plain.resources, SizeIs(2));
  EXPECT_FALSE(plain.resources[0].wrapped);
  const protocol::Response told = response({"xds.config.resource-in-sotw", "xds.config.supports-resource-ttl"});
  ASSERT_THAT(told.resources, SizeIs(2));
  EXPECT_TRUE(told.resources[0].wrapped);
  EXPECT_EQ(told.resources[0].ttl, std::chrono::seconds(10));
  EXPECT_EQ(told.resources[0].payload, plain.resources[0].payload);
  EXPECT_FALSE(told.resources[1].wrapped);
}

// ---- Faults.

TEST_F(ControlPlaneTest, AResponseIsOnItsWayForTheDelay) {
  Change({Make(kCds, "a", "1")});
  const auto plane = Faulty({.delay = std::chrono::seconds(2)});
  plane->Take(streams_.Open(kStreamCds));
  fake::FakeServerStream& stream = streams_.last();
  stream.Deliver(SotwRequest({.type_url = kCds}));
  (void)inventory_.Set({Make(kCds, "b", "1")});  // what is on its way stays as it is
  clock_.Advance(std::chrono::milliseconds(1999));
  EXPECT_THAT(stream.written, IsEmpty());
  clock_.Advance(std::chrono::milliseconds(1));
  ASSERT_THAT(stream.written, SizeIs(1));
  EXPECT_THAT(Read(stream.written[0]).names, ElementsAre("a"));
  stream.Written();
  clock_.Advance(std::chrono::seconds(2));
  ASSERT_THAT(stream.written, SizeIs(2));
  EXPECT_THAT(Read(stream.written[1]).names, ElementsAre("b"));
}

TEST_F(ControlPlaneTest, AClientThatLeavesBeforeADelayedResponseIsForgotten) {
  Change({Make(kCds, "a", "1")});
  const auto plane = Faulty({.delay = std::chrono::seconds(2)});
  plane->Take(streams_.Open(kStreamCds));
  streams_.last().Deliver(SotwRequest({.type_url = kCds}));
  EXPECT_EQ(clock_.waiting(), 1U);
  streams_.last().End();
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ControlPlaneTest, AStreamIsClosedAfterItsLastResponse) {
  Change({Make(kCds, "a", "1")});
  const auto plane = Faulty({.close_after = 2});
  plane->Take(streams_.Open(kStreamCds));
  fake::FakeServerStream& stream = streams_.last();
  stream.Deliver(SotwRequest({.type_url = kCds}));
  stream.Written();
  EXPECT_FALSE(stream.closed.has_value());
  plane->Push(inventory_.Set({Make(kCds, "a", "2")}).changes);
  EXPECT_FALSE(stream.closed.has_value());
  stream.Written();
  EXPECT_EQ(stream.closed, absl::UnavailableError("closed on purpose after response 2"));
}

TEST_F(ControlPlaneTest, NoncesAreDropped) {
  Change({Make(kCds, "a", "1")});
  const auto plane = Faulty({.drop_nonce = true});
  plane->Take(streams_.Open(kStreamCds));
  fake::FakeServerStream& stream = streams_.last();
  stream.Deliver(SotwRequest({.type_url = kCds}));
  stream.Written();
  EXPECT_EQ(Read(stream.written.at(0)).nonce, "");
  stream.Deliver(SotwRequest({.type_url = kCds, .version = Read(stream.written[0]).version}));
  EXPECT_THAT(stream.written, SizeIs(1));  // an answer that cannot be told from a request asks for nothing new
}

TEST_F(ControlPlaneTest, WhatIsRefusedIsSentAgain) {
  Change({Make(kCds, "a", "1")});
  const auto plane = Faulty({.resend_refused = true});
  plane->Take(streams_.Open(kStreamCds));
  fake::FakeServerStream& stream = streams_.last();
  stream.Deliver(SotwRequest({.type_url = kCds}));
  for (std::size_t times = 1; times < 5; ++times) {
    stream.Written();
    ASSERT_THAT(stream.written, SizeIs(times));
    stream.Deliver(
        SotwRequest({.type_url = kCds, .nonce = Read(stream.written.back()).nonce, .error = std::pair(3, "no")}));
  }
  EXPECT_EQ(Read(stream.written[4]).version, Read(stream.written[0]).version);
}

}  // namespace
}  // namespace xdscope::server
