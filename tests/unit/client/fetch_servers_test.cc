// A look at several servers in one: what of Fetch goes by where something happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "lib/client/fetch.h"
#include "lib/protocol/request.h"
#include "lib/schema/schema.h"
#include "lib/source/fallback_source.h"
#include "lib/source/grpc_source.h"
#include "lib/source/routed_source.h"
#include "tests/fake/fake_channel.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Status kDead = absl::UnavailableError("connection refused");
const std::string kFar = "xdstp://far/envoy.config.endpoint.v3.ClusterLoadAssignment/b";

// Server 0 is asked for everything, and 1 where it cannot be had; server 2 for the names of an authority.
class FetchServersTest : public testing::Test {
 protected:
  std::unique_ptr<source::Source> Server(std::size_t number) {
    return std::make_unique<source::GrpcSource>(clock_, channels_[number], types_, source::GrpcSource::Settings());
  }
  void Start(Want want, bool follow = false) {
    std::vector<std::unique_ptr<source::Source>> sources;
    sources.push_back(
        std::make_unique<source::FallbackSource>(2, [this](std::size_t number) { return Server(number); }));
    sources.push_back(Server(2));
    source_.emplace(std::move(sources), std::vector<source::Route>{{}, {.authority = "far", .source = 1}});
    FetchSettings settings;
    settings.wants.push_back(std::move(want));
    settings.follow = follow;
    settings.this_server.clusters = {"two"};
    settings.sources = {{"cluster two", 1}};
    Fetch::Listener listener;
    listener.done = [this] { done_ = true; };
    fetch_.emplace(clock_, *source_, types_, std::move(settings), std::move(listener));
    fetch_->Start();
  }
  void Say(std::size_t server, std::string_view type, const std::vector<std::string>& payloads) {
    fake::FakeStream& stream = channels_[server].last();
    if (!stream.connected) stream.Connect();
    fake::Response response{.type_url = type, .version = "1", .nonce = "n"};
    for (const std::string& payload : payloads) response.resources.push_back({.payload = payload});
    while (stream.writing) stream.Written();
    stream.Deliver(fake::Sotw(response));
    while (stream.writing) stream.Written();
  }
  std::vector<std::string> AskedOf(std::size_t server) {
    return protocol::DecodeRequest(protocol::Variant::kSotw, channels_[server].last().written.back())->names;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  std::array<fake::FakeChannel, 3> channels_;
  std::optional<source::RoutedSource> source_;
  std::optional<Fetch> fetch_;
  bool done_ = false;
};

TEST_F(FetchServersTest, TheNextServerHasAsLongAsTheFirstHad) {
  Start({.type_url = std::string(kCds), .names = {}, .everything = true});
  clock_.Advance(seconds(10));
  channels_[0].last().Close(kDead);
  ASSERT_THAT(fetch_->outcome().moves, SizeIs(1));
  EXPECT_FALSE(fetch_->outcome().moves[0].connected);
  clock_.Advance(seconds(10));
  Say(1, kCds, {fake::Payload("a")});
  channels_[1].last().Close();
  EXPECT_TRUE(done_);
  EXPECT_THAT(fetch_->outcome().failures, IsEmpty());
  EXPECT_EQ(fetch_->outcome().response_count, 1U);
}

TEST_F(FetchServersTest, NobodyWaitsForTheNamesOfAServerThatIsGone) {
  Start({.type_url = std::string(kEds), .names = {"a", kFar}});
  EXPECT_FALSE(done_);
  channels_[2].last().Close(kDead);
  ASSERT_THAT(fetch_->outcome().failures, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().failures[0].place, (session::Place{.source = 1, .server = 0}));
  Say(0, kEds, {fake::Payload("a")});
  channels_[0].last().Close();
  EXPECT_TRUE(done_);
  ASSERT_THAT(fetch_->outcome().missing, SizeIs(1));
  EXPECT_EQ(fetch_->outcome().missing[0].name, kFar);
  EXPECT_FALSE(fetch_->outcome().missing[0].said);
}

TEST_F(FetchServersTest, AReferenceIsFollowedToTheServerThatItNames) {
  Start({.type_url = std::string(kCds), .names = {}, .everything = true}, true);
  Say(0, kCds, {fake::EdsCluster("a", fake::ClusterSource("two")), fake::EdsCluster("b", fake::AdsSource())});
  EXPECT_THAT(AskedOf(0), ElementsAre("b"));
  channels_[2].last().Connect();
  EXPECT_THAT(AskedOf(2), ElementsAre("a"));
}

}  // namespace
}  // namespace xdscope::client
