#include "lib/source/routed_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/fake/messages.h"

namespace xdscope::source {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kLds;
using protocol::Interest;

// A source that writes down what is wanted of it.
class Recorder final : public Source {
 public:
  void Listen(Listener listener) override { listener_ = std::move(listener); }
  bool CanAsk(std::string_view) const override { return true; }
  void Want(std::string_view type_url, const protocol::InterestChange& change) override {
    change.ApplyTo(&wanted[std::string(type_url)]);
  }
  absl::StatusOr<protocol::Changes> Answer(const Waiter& waiter, const protocol::Verdict&) override {
    answered = waiter;
    return protocol::Changes();
  }
  bool IsOpen(std::string_view type_url) const override { return wanted.contains(std::string(type_url)); }
  bool IsBusy() const override { return false; }
  void SetNode(const std::string& said) override { node = said; }
  void Open() override { opened = true; }
  session::Session* SessionOf(std::string_view) override { return nullptr; }
  void Finish() override { finished = true; }
  void Tell(Event event) { listener_(std::move(event)); }

  std::map<std::string, Interest, std::less<>> wanted;
  std::optional<Waiter> answered;
  std::string node;
  bool opened = false;
  bool finished = false;

 private:
  Listener listener_;
};

class RoutedSourceTest : public testing::Test {
 protected:
  void Route(std::vector<source::Route> routes) {
    std::vector<std::unique_ptr<Source>> sources;
    for (Recorder*& recorder : servers_) {
      auto made = std::make_unique<Recorder>();
      recorder = made.get();
      sources.push_back(std::move(made));
    }
    source_.emplace(std::move(sources), std::move(routes));
  }
  Interest WantedOf(std::size_t server, std::string_view type_url) {
    const auto found = servers_[server]->wanted.find(type_url);
    return found == servers_[server]->wanted.end() ? Interest() : found->second;
  }

  Recorder* servers_[2] = {};
  std::optional<RoutedSource> source_;
};

TEST_F(RoutedSourceTest, EachTypeIsAskedOfItsOwnServer) {
  Route({{.source = 0}, {.type_url = std::string(kCds), .source = 1}});
  source_->Want(kLds, {Interest::Everything()});
  source_->Want(kCds, {Interest::EverythingAnd({"a"})});
  EXPECT_EQ(WantedOf(0, kLds), Interest::Everything());
  EXPECT_EQ(WantedOf(1, kCds), Interest::EverythingAnd({"a"}));
  EXPECT_TRUE(WantedOf(0, kCds).is_nothing());
  EXPECT_TRUE(WantedOf(1, kLds).is_nothing());
}

TEST_F(RoutedSourceTest, NamesOfAnAuthorityAreAskedOfItsServer) {
  const std::string far = "xdstp://far/envoy.config.endpoint.v3.ClusterLoadAssignment/a";
  Route({{.source = 0}, {.authority = "far", .source = 1}});
  source_->Want(kEds, {Interest::Names({"near", far})});
  EXPECT_EQ(WantedOf(0, kEds), Interest::Names({"near"}));
  EXPECT_EQ(WantedOf(1, kEds), Interest::Names({far}));
}

TEST_F(RoutedSourceTest, WhatIsTakenBackIsTakenBackFromTheServerThatWasAsked) {
  const std::string far = "xdstp://far/envoy.config.endpoint.v3.ClusterLoadAssignment/a";
  Route({{.source = 0}, {.authority = "far", .source = 1}});
  source_->Want(kEds, {Interest::Names({"near", far})});
  source_->Want(kEds, {.add = {}, .remove = Interest::Names({far})});
  EXPECT_EQ(WantedOf(0, kEds), Interest::Names({"near"}));
  EXPECT_TRUE(WantedOf(1, kEds).is_nothing());
}

TEST_F(RoutedSourceTest, AServerThatNothingIsWantedOfHearsNothing) {
  Route({{.source = 0}, {.authority = "far", .source = 1}});
  source_->Want(kEds, {Interest::Names({"near"})});
  EXPECT_TRUE(servers_[1]->wanted.empty());
}

TEST_F(RoutedSourceTest, AStarStaysAStar) {
  Route({{.source = 0}});
  source_->Want(kCds, {Interest::Names({"*", "a"})});
  EXPECT_TRUE(WantedOf(0, kCds).starred());
  EXPECT_EQ(WantedOf(0, kCds), Interest::Names({"*", "a"}));
}

TEST_F(RoutedSourceTest, ATypeThatNoRowFitsCannotBeAskedFor) {
  Route({{.type_url = std::string(kCds), .source = 1}});
  EXPECT_TRUE(source_->CanAsk(kCds));
  EXPECT_FALSE(source_->CanAsk(kLds));
}

TEST_F(RoutedSourceTest, AnAnswerGoesToTheServerThatWaits) {
  Route({{.source = 0}, {.type_url = std::string(kCds), .source = 1}});
  std::optional<Waiter> waiter;
  source_->Listen([&](Event event) { waiter = std::get<Update>(event).waiter; });
  Update update;
  update.waiter = Waiter{.conversation = 3, .response = 4};
  servers_[1]->Tell(std::move(update));
  ASSERT_TRUE(waiter);
  EXPECT_TRUE(source_->Answer(*waiter, protocol::Verdict::Ack()).ok());
  ASSERT_TRUE(servers_[1]->answered);
  EXPECT_EQ(servers_[1]->answered->conversation, 3U);
  EXPECT_FALSE(servers_[0]->answered);
}

TEST_F(RoutedSourceTest, FinishEndsAll) {
  Route({{.source = 0}});
  source_->Finish();
  EXPECT_TRUE(servers_[0]->finished);
  EXPECT_TRUE(servers_[1]->finished);
}

}  // namespace
}  // namespace xdscope::source
