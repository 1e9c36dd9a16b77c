#include "lib/source/fallback_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "lib/protocol/request.h"
#include "lib/schema/schema.h"
#include "lib/source/grpc_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/messages.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kLds;
using protocol::Interest;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const absl::Status kDead = absl::UnavailableError("connection refused");

// Three servers that are tried one after another.
class FallbackSourceTest : public testing::Test {
 protected:
  void Begin(types::Variant variant = types::Variant::kAds, bool reopens = false) {
    source_.emplace(channels_.size(), [this, variant, reopens](std::size_t server) {
      GrpcSource::Settings settings;
      settings.variant = variant;
      if (reopens) settings.reopening.emplace().chance = [] { return 0.5; };
      return std::make_unique<GrpcSource>(clock_, channels_[server], types_, std::move(settings));
    });
    source_->Listen([this](Event event) { On(std::move(event)); });
  }

  void On(Event event) {
    if (const auto* connected = std::get_if<session::Connected>(&event)) connected_.push_back(connected->place.server);
    if (const auto* moved = std::get_if<Moved>(&event)) moved_.push_back(moved->place.server);
    if (const auto* closed = std::get_if<session::Closed>(&event)) closed_.push_back(closed->place.server);
    if (auto* update = std::get_if<Update>(&event)) updates_.push_back(std::move(*update));
  }

  fake::FakeStream& Stream(std::size_t server) { return channels_[server].last(); }
  void Answer(std::size_t server) {
    if (!Stream(server).connected) Stream(server).Connect();
    Stream(server).Written();
    Stream(server).Deliver(fake::Sotw({.type_url = kCds, .version = "1", .nonce = "n", .resources = {{.name = "a"}}}));
  }
  static protocol::Request Read(const std::string& bytes) {
    return *protocol::DecodeRequest(protocol::Variant::kSotw, bytes);
  }

  std::array<fake::FakeChannel, 3> channels_;
  fake::FakeClock clock_;
  const schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  std::optional<FallbackSource> source_;
  std::vector<std::uint32_t> connected_;  // servers of which a stream was told to be open
  std::vector<std::uint32_t> moved_;      // servers that another took the place of
  std::vector<std::uint32_t> closed_;     // servers whose end was told
  std::vector<Update> updates_;
};

TEST_F(FallbackSourceTest, OnlyTheFirstIsAskedWhereItIsThere) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  Answer(0);
  EXPECT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(channels_[1].streams(), IsEmpty());
  EXPECT_THAT(moved_, IsEmpty());
}

TEST_F(FallbackSourceTest, TheNextIsAskedForAllThatIsWanted) {
  Begin();
  source_->Want(kCds, {Interest::Names({"a", "b"})});
  source_->Want(kCds, {.add = {}, .remove = Interest::Names({"b"})});
  Stream(0).Close(kDead);
  EXPECT_THAT(moved_, ElementsAre(0U));
  EXPECT_THAT(closed_, IsEmpty());
  EXPECT_TRUE(source_->IsOpen(kCds));
  Stream(1).Connect();
  ASSERT_THAT(Stream(1).written, SizeIs(1));
  EXPECT_THAT(Read(Stream(1).written[0]).names, ElementsAre("a"));
}

TEST_F(FallbackSourceTest, AStreamThatEndsWithoutAResponseCountsTooWhateverItSays) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  Stream(0).Connect();
  Stream(0).Close(absl::PermissionDeniedError("no"));
  Stream(1).Connect();
  Stream(1).Close(absl::OkStatus());
  EXPECT_THAT(moved_, ElementsAre(0U, 1U));
  Answer(2);
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_EQ(updates_[0].place.server, 2U);
}

TEST_F(FallbackSourceTest, TheEndOfTheLastIsTheEnd) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  for (std::size_t server = 0; server < 3; ++server) Stream(server).Close(kDead);
  EXPECT_THAT(moved_, ElementsAre(0U, 1U));
  EXPECT_THAT(closed_, ElementsAre(2U));
  EXPECT_FALSE(source_->IsOpen(kCds));
}

TEST_F(FallbackSourceTest, AServerThatGaveAResponseKeepsItsPlace) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  Answer(0);
  Stream(0).Close(kDead);
  EXPECT_THAT(closed_, ElementsAre(0U));
  EXPECT_THAT(channels_[1].streams(), IsEmpty());
}

TEST_F(FallbackSourceTest, OfSeveralStreamsTheFirstThatFailsMovesAllOfThem) {
  Begin(types::Variant::kSotw);
  source_->Want(kCds, {Interest::Everything()});
  source_->Want(kLds, {Interest::Everything()});
  channels_[0].streams()[0].Close(kDead);
  channels_[0].streams()[1].Close(kDead);
  EXPECT_THAT(moved_, ElementsAre(0U));
  EXPECT_THAT(closed_, IsEmpty());
  EXPECT_THAT(channels_[1].streams(), SizeIs(2));
  EXPECT_THAT(channels_[2].streams(), IsEmpty());
}

TEST_F(FallbackSourceTest, AnAnswerGoesToTheServerThatWaits) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  Stream(0).Close(kDead);
  Answer(1);
  ASSERT_THAT(updates_, SizeIs(1));
  ASSERT_TRUE(source_->Answer(*updates_[0].waiter, protocol::Verdict::Ack()).ok());
  EXPECT_EQ(Read(Stream(1).written.back()).nonce, "n");
  EXPECT_TRUE(absl::IsNotFound(source_->Answer({.place = {.server = 7}}, protocol::Verdict::Ack()).status()));
}

TEST_F(FallbackSourceTest, WhatIsOpenBeforeAnythingIsWantedMovesToo) {
  Begin();
  source_->SetNode("n");
  source_->Open();
  Stream(0).Close(kDead);
  EXPECT_THAT(channels_[1].streams(), SizeIs(1));
}

TEST_F(FallbackSourceTest, NobodyElseIsAskedOnceItIsOver) {
  Begin();
  source_->Want(kCds, {Interest::Everything()});
  source_->Finish();
  Stream(0).Close();
  EXPECT_THAT(closed_, ElementsAre(0U));
  EXPECT_THAT(channels_[1].streams(), IsEmpty());
}

TEST_F(FallbackSourceTest, AnEarlierServerThatTriesAgainTakesItsPlaceBackWithItsFirstResponse) {
  Begin(types::Variant::kAds, true);
  source_->Want(kCds, {Interest::Everything()});
  Stream(0).Close(kDead);
  Answer(1);
  clock_.Advance(milliseconds(300));
  ASSERT_THAT(channels_[0].streams(), SizeIs(2)) << "it is tried again";
  source_->Want(kLds, {Interest::Everything()});
  Stream(0).Connect();
  EXPECT_FALSE(Stream(1).cancelled || Stream(1).writes_done) << "nothing came of it yet";
  EXPECT_THAT(connected_, ElementsAre(1U));
  Answer(0);
  EXPECT_THAT(connected_, ElementsAre(1U, 0U));
  EXPECT_THAT(updates_, SizeIs(2));
  Stream(1).Written();
  EXPECT_TRUE(Stream(1).writes_done) << "it says goodbye";
  Stream(1).Close();
  EXPECT_THAT(closed_, IsEmpty());
  Stream(0).Written();
  EXPECT_EQ(Read(Stream(0).written.back()).type_url, kLds) << "what was wanted meanwhile";
}

}  // namespace
}  // namespace xdscope::source
