#include "lib/source/grpc_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_control_plane.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kEds;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class GrpcSourceTest : public testing::Test {
 protected:
  void Make(GrpcSource::Settings settings) {
    source_.emplace(clock_, channel_, types_, std::move(settings));
    source_->Listen([this](Event event) {
      if (auto* update = std::get_if<Update>(&event)) {
        EXPECT_TRUE(source_->Answer(*update->waiter, protocol::Verdict::Ack()).ok());
        updates_.push_back(std::move(*update));
      } else if (auto* closed = std::get_if<session::Closed>(&event)) {
        closed_.push_back(std::move(*closed));
      } else if (auto* changed = std::get_if<session::Changed>(&event)) {
        changes_.push_back(std::move(changed->changes));
      }
    });
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  std::optional<GrpcSource> source_;
  std::vector<Update> updates_;
  std::vector<session::Closed> closed_;
  std::vector<protocol::Changes> changes_;
};

TEST_F(GrpcSourceTest, OneStreamForAllTypesOrOneForEach) {
  Make({.variant = types::Variant::kAds, .session = {}, .reopening = {}});
  source_->Want(kCds, {protocol::Interest::Everything()});
  source_->Want(kEds, {protocol::Interest::Names({"a"})});
  EXPECT_THAT(channel_.streams(), SizeIs(1));
  EXPECT_EQ(channel_.last().method, types::AdsMethod(types::Variant::kAds, types::Api::kV3));
  Make({.variant = types::Variant::kSotw, .session = {}, .reopening = {}});
  source_->Want(kCds, {protocol::Interest::Everything()});
  source_->Want(kEds, {protocol::Interest::Names({"a"})});
  EXPECT_THAT(channel_.streams(), SizeIs(3));
}

TEST_F(GrpcSourceTest, AStreamThatIsOpenedAgainIsNotOver) {
  session::ReopeningSession::Options reopening;
  reopening.chance = [] { return 1.0; };
  Make({.session = {}, .reopening = std::move(reopening)});
  fake::FakeControlPlane plane(channel_, false, false);
  plane.Offer(kCds, "1", {"a"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  plane.Run();
  channel_.last().Close(absl::UnavailableError("lost"));
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].reopens_in, milliseconds(500));
  EXPECT_TRUE(source_->IsOpen(kCds));
  clock_.Advance(milliseconds(500));
  plane.Run();
  EXPECT_THAT(updates_, SizeIs(2));
  EXPECT_EQ(plane.requests().back().version, "1");
}

TEST_F(GrpcSourceTest, WhatIsNoLongerWantedIsToldAsLost) {
  Make({.variant = types::Variant::kDeltaAds, .session = {}, .reopening = {}});
  fake::FakeControlPlane plane(channel_, true, false);
  plane.Offer(kEds, "1", {"a@1", "b@1"});
  source_->Want(kEds, {protocol::Interest::Names({"a", "b"})});
  plane.Run();
  source_->Want(kEds, {.add = {}, .remove = protocol::Interest::Names({"a"})});
  plane.Run();
  ASSERT_THAT(changes_, SizeIs(1));
  EXPECT_THAT(changes_[0].lost, ElementsAre("a"));
}

// The source says what it was told; who may use it is somebody else's business.
TEST_F(GrpcSourceTest, AnUpdateOfATypeThatNobodyAskedForHasNoWaiter) {
  Make({.session = {}, .reopening = {}});
  std::vector<Update> updates;
  source_->Listen([&](Event event) {
    if (auto* update = std::get_if<Update>(&event)) updates.push_back(std::move(*update));
  });
  source_->Want(kCds, {protocol::Interest::Everything()});
  channel_.last().Connect();
  channel_.last().Deliver(
      fake::Sotw({.type_url = kEds, .version = "1", .nonce = "1", .resources = fake::Named({"a"})}));
  ASSERT_THAT(updates, SizeIs(1));
  EXPECT_FALSE(updates[0].asked);
  EXPECT_FALSE(updates[0].waiter);
}

}  // namespace
}  // namespace xdscope::source
