// What every source promises (lib/source/source.h), tried on each there is. A source joins by a row of kServers or
// kFiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "lib/source/file_source.h"
#include "lib/source/grpc_source.h"
#include "lib/source/routed_source.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/fake_control_plane.h"
#include "tests/unit/source/memory_folder.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kVhds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

struct SourceRow {
  const char* name;
  types::Variant variant;
  bool routed = false;  // behind a RoutedSource with one server for everything
  bool files = false;   // no server, but files: no variant
};

constexpr SourceRow kServers[] = {
    {"Ads", types::Variant::kAds},
    {"DeltaAds", types::Variant::kDeltaAds},
    {"Sotw", types::Variant::kSotw},
    {"Delta", types::Variant::kDelta},
    {"Unary", types::Variant::kUnary},
    {"Rest", types::Variant::kRest},  // rest_channel_test.cc has what is behind the channel
    {"RoutedAds", types::Variant::kAds, true},
    {"RoutedUnary", types::Variant::kUnary, true},
};
constexpr SourceRow kFiles[] = {
    {"Files", types::Variant::kAds, false, true},
    {"RoutedFiles", types::Variant::kAds, true, true},
};

class SourceContract : public testing::TestWithParam<SourceRow> {
 protected:
  void SetUp() override {
    if (GetParam().files) {
      source_ = folder_.MakeSource();
    } else {
      GrpcSource::Settings settings;
      settings.variant = GetParam().variant;
      source_ = std::make_unique<GrpcSource>(clock_, channel_, types_, std::move(settings));
    }
    if (GetParam().routed) {
      std::vector<std::unique_ptr<Source>> sources;
      sources.push_back(std::move(source_));
      source_ = std::make_unique<RoutedSource>(std::move(sources), std::vector<Route>{{}});
    }
    source_->Listen([this](Event event) { On(std::move(event)); });
  }

  void On(Event event) {
    EXPECT_FALSE(calling_) << "an update, an end or a failure is told inside a call";
    if (auto* update = std::get_if<Update>(&event)) {
      updates_.push_back(std::move(*update));
      if (verdict_) changes_.push_back(*source_->Answer(*updates_.back().waiter, *verdict_));
    } else if (const auto* closed = std::get_if<session::Closed>(&event)) {
      closed_.push_back(*closed);
    } else if (auto* unreadable = std::get_if<session::Unreadable>(&event)) {
      unreadable_.push_back(std::move(*unreadable));
    }
  }

  std::vector<std::string> NamesOf(const Update& update) {
    std::vector<std::string> names;
    for (const resource::Resource& resource : update.resources) names.push_back(resource.name);
    return names;
  }

  void Offer(std::string_view type_url, const std::string& version, const std::vector<std::string>& names) {
    GetParam().files ? folder_.Put(type_url, names) : plane_.Offer(type_url, version, names);
  }

  // Lets the other side answer, and time pass that nobody waits for.
  void Run() {
    plane_.Run();
    clock_.Advance({});
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  fake::FakeClock clock_;
  fake::FakeChannel channel_;
  fake::FakeControlPlane plane_{channel_, types::IsDelta(GetParam().variant), types::IsUnary(GetParam().variant)};
  MemoryFolder folder_{clock_, types_};
  std::unique_ptr<Source> source_;
  std::optional<protocol::Verdict> verdict_ = protocol::Verdict::Ack();  // given to each update at once
  bool calling_ = false;
  std::vector<Update> updates_;
  std::vector<protocol::Changes> changes_;
  std::vector<session::Unreadable> unreadable_;
  std::vector<session::Closed> closed_;
};

// Of sources that ask somebody.
class ServerContract : public SourceContract {};

TEST_P(SourceContract, NothingHappensBeforeSomethingIsWanted) {
  source_->Finish();
  Run();
  EXPECT_THAT(channel_.streams(), IsEmpty());
  EXPECT_EQ(folder_.files().reads(), 0);
  EXPECT_FALSE(source_->IsOpen(kCds));
}

TEST_P(SourceContract, WhatIsWantedComesAsAnUpdate) {
  Offer(kCds, "7", {"a", "b"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  EXPECT_THAT(updates_, IsEmpty());  // not inside the call
  Run();
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_EQ(updates_[0].type_url, kCds);
  if (GetParam().files) {
    EXPECT_THAT(updates_[0].version, SizeIs(16));  // a hash
  } else {
    EXPECT_EQ(updates_[0].version, "7");
  }
  EXPECT_TRUE(updates_[0].asked);
  EXPECT_EQ(updates_[0].entries, 2U);
  EXPECT_THAT(NamesOf(updates_[0]), ElementsAre("a", "b"));
  EXPECT_TRUE(updates_[0].resources[0].message.ok());
  EXPECT_TRUE(source_->IsOpen(kCds));
}

TEST_P(SourceContract, TheBytesAreThereAsTheyCame) {
  Offer(kCds, "7", {"a"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  Run();
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_NE(updates_[0].bytes->find(updates_[0].resources[0].entry), std::string::npos);
}

TEST_P(SourceContract, AnAnswerGivesBackWhatChanged) {
  Offer(kCds, "7", {"a"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  Run();
  ASSERT_THAT(changes_, SizeIs(1));
  EXPECT_EQ(changes_[0].type_url, kCds);
  EXPECT_THAT(changes_[0].held, ElementsAre("a"));
}

TEST_P(SourceContract, ARefusalHoldsNothing) {
  verdict_ = protocol::Verdict::Nack("no");
  Offer(kEds, "7", {"a"});
  source_->Want(kEds, {protocol::Interest::Names({"a"})});
  Run();
  ASSERT_THAT(changes_, SizeIs(1));
  EXPECT_THAT(changes_[0].held, IsEmpty());
  EXPECT_THAT(changes_[0].refused, ElementsAre("a"));
}

TEST_P(SourceContract, AnAnswerMayComeLaterAndOnce) {
  verdict_.reset();
  Offer(kCds, "7", {"a"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  Run();
  ASSERT_THAT(updates_, SizeIs(1));
  ASSERT_TRUE(updates_[0].waiter);
  clock_.Advance(std::chrono::hours(1));
  EXPECT_TRUE(source_->Answer(*updates_[0].waiter, protocol::Verdict::Ack()).ok());
  EXPECT_EQ(source_->Answer(*updates_[0].waiter, protocol::Verdict::Ack()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(SourceContract, ANumberThatNobodyGaveIsAnsweredByNobody) {
  EXPECT_EQ(source_->Answer({.server = 7, .conversation = 7, .response = 7}, protocol::Verdict::Ack()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(ServerContract, ANewInterestIsAskedForToo) {
  Offer(kEds, "7", {"a", "b"});
  source_->Want(kEds, {protocol::Interest::Names({"a"})});
  Run();
  source_->Want(kEds, {protocol::Interest::Names({"a", "b"})});
  Run();
  ASSERT_FALSE(plane_.requests().empty());
  const bool delta = types::IsDelta(GetParam().variant);
  const bool asked = std::any_of(plane_.requests().begin(), plane_.requests().end(), [&](const auto& request) {
    return request.names == (delta ? std::vector<std::string>{"b"} : std::vector<std::string>{"a", "b"});
  });
  EXPECT_TRUE(asked);
}

TEST_P(SourceContract, SeveralTypesAreAskedSideBySide) {
  Offer(kCds, "1", {"a"});
  Offer(kEds, "2", {"b"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  source_->Want(kEds, {protocol::Interest::Names({"b"})});
  Run();
  std::vector<std::string> types;
  for (const Update& update : updates_) types.push_back(update.type_url);
  EXPECT_THAT(types, UnorderedElementsAre(kCds, kEds));
}

TEST_P(ServerContract, ATypeWithoutAMethodCannotBeAskedFor) {
  EXPECT_TRUE(source_->CanAsk(kCds));
  EXPECT_EQ(source_->CanAsk(kVhds), types::IsDelta(GetParam().variant));
  EXPECT_EQ(source_->CanAsk("type.googleapis.com/x.Unknown"), types::IsAggregated(GetParam().variant));
}

TEST_P(ServerContract, BytesThatAreNoResponseAreToldAndEndTheConversation) {
  source_->Want(kCds, {protocol::Interest::Everything()});
  plane_.Run();
  channel_.last().Deliver("\xff\xff\xff");
  const bool unary = types::IsUnary(GetParam().variant);
  channel_.last().Close(unary ? absl::OkStatus() : absl::CancelledError());
  ASSERT_THAT(unreadable_, SizeIs(1));
  EXPECT_EQ(*unreadable_[0].bytes, "\xff\xff\xff");
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].status.code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(source_->IsOpen(kCds));
}

TEST_P(ServerContract, AFailureIsToldOnceAndNothingIsOpenedAgain) {
  source_->Want(kCds, {protocol::Interest::Everything()});
  channel_.last().Close(absl::UnavailableError("refused"));
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_[0].status, absl::UnavailableError("refused"));
  EXPECT_FALSE(closed_[0].had_response);
  source_->Want(kCds, {protocol::Interest::Names({"a"})});
  clock_.Advance(std::chrono::hours(1));
  EXPECT_THAT(channel_.streams(), SizeIs(1));
}

TEST_P(ServerContract, WhatIsWantedWhileAConversationIsOverIsSaidWhenItIsOpenedAgain) {
  source_->Want(kCds, {protocol::Interest::Names({"a"})});
  channel_.last().Close(absl::UnavailableError("refused"));
  source_->Want(kCds, {protocol::Interest::Names({"b"})});
  plane_.Offer(kCds, "1", {"a", "b"});
  source_->Open();
  EXPECT_TRUE(source_->IsOpen(kCds));
  Run();
  ASSERT_THAT(updates_, SizeIs(1));
  EXPECT_THAT(NamesOf(updates_[0]), ElementsAre("a", "b"));
}

TEST_P(ServerContract, AnAggregatedStreamAloneOpensBeforeSomethingIsWanted) {
  source_->Open();
  EXPECT_THAT(channel_.streams(), SizeIs(types::IsAggregated(GetParam().variant) ? 1 : 0));
  source_->Want(kCds, {protocol::Interest::Everything()});
  EXPECT_THAT(channel_.streams(), SizeIs(1));
}

TEST_P(ServerContract, AnotherNodeIsSaidByTheNextStream) {
  const std::string node = "\x0a\x03new";
  source_->Want(kCds, {protocol::Interest::Names({"a"})});
  channel_.last().Close(absl::UnavailableError("refused"));
  source_->SetNode(node);
  source_->Open();
  channel_.last().Connect();
  EXPECT_THAT(channel_.last().written, testing::Contains(testing::HasSubstr(node)));
}

TEST_P(ServerContract, TheConversationOfATypeIsThereOnceItIsWanted) {
  EXPECT_EQ(source_->SessionOf(kCds), nullptr);
  source_->Want(kCds, {protocol::Interest::Names({"a"})});
  ASSERT_NE(source_->SessionOf(kCds), nullptr);
  EXPECT_TRUE(source_->SessionOf(kCds)->ads().Find(kCds)->interest().Has("a"));
}

TEST_P(SourceContract, FinishEndsEachConversationOnceAndLater) {
  Offer(kCds, "1", {"a"});
  source_->Want(kCds, {protocol::Interest::Everything()});
  Run();
  calling_ = true;
  source_->Finish();
  calling_ = false;
  for (fake::FakeStream& stream : channel_.streams()) {
    if (!stream.dropped) stream.Close();
  }
  clock_.Advance({});
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_TRUE(closed_[0].status.ok());
  EXPECT_TRUE(closed_[0].had_response);
  EXPECT_FALSE(source_->IsOpen(kCds));
}

std::string NameOf(const testing::TestParamInfo<SourceRow>& row) {
  return row.param.name;
}
INSTANTIATE_TEST_SUITE_P(Servers, SourceContract, testing::ValuesIn(kServers), NameOf);
INSTANTIATE_TEST_SUITE_P(Servers, ServerContract, testing::ValuesIn(kServers), NameOf);
INSTANTIATE_TEST_SUITE_P(Files, SourceContract, testing::ValuesIn(kFiles), NameOf);

}  // namespace
}  // namespace xdscope::source
