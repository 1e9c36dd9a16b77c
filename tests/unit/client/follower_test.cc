#include "lib/client/follower.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "tests/fake/messages.h"

namespace xdscope::client {
namespace {

using fake::kCds;
using fake::kEds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FollowerTest : public testing::Test {
 protected:
  // A cluster of this name that refers to the endpoints `service`, from here or from a file.
  resource::Resource Cluster(const std::string& name, const std::string& service,
                             const std::string& from = fake::AdsSource()) {
    auto bytes = std::make_shared<const std::string>(fake::EdsCluster(name, from, service));
    return {.name = name,
            .version = "1",
            .type_url = kCds,
            .payload = *bytes,
            .entry = *bytes,
            .message = wire::Open(kCds, *bytes, types_),
            .buffer = bytes};
  }
  // An aggregate cluster over one other.
  resource::Resource Aggregate(const std::string& name, const std::string& below) {
    const std::string config =
        fake::Any("type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig", fake::Field(1, below));
    const std::string type = fake::Field(1, "envoy.clusters.aggregate") + fake::Field(2, config);
    auto bytes = std::make_shared<const std::string>(fake::Payload(name, fake::Field(38, type)));
    return {.name = name,
            .version = "1",
            .type_url = kCds,
            .payload = *bytes,
            .entry = *bytes,
            .message = wire::Open(kCds, *bytes, types_),
            .buffer = bytes};
  }
  void Set(const resource::Resource& resource) { follower_.Set(std::string(kCds), resource); }
  void Remove(std::string_view name) { follower_.Remove(std::string(kCds), name); }

  std::vector<std::string> Added() {
    const std::vector<WantChange> changes = follower_.TakeChanges();
    return changes.empty() ? std::vector<std::string>() : changes[0].added;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  bool can_ask_ = true;
  Follower follower_{types_, {.this_server = {}, .can_ask = [this](auto...) { return can_ask_; }}};
};

TEST_F(FollowerTest, AConfigSourceNamesOneOfSeveralSources) {
  Follower follower(types_,
                    {.this_server = {.clusters = {"two"}, .targets = {}},
                     .can_ask = [](std::string_view, std::optional<std::uint32_t> source) { return source != 3; },
                     .sources = {{"ads", 1}, {"cluster two", 2}}});
  follower.Set(std::string(kCds), Cluster("a", "x"));
  follower.Set(std::string(kCds), Cluster("b", "y", fake::ClusterSource("two")));
  resource::Resource self = Cluster("c", "z", fake::SelfSource());
  self.source = 3;
  follower.Set(std::string(kCds), self);
  const std::vector<WantChange> changes = follower.TakeChanges();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].type_url, kCds) << "the cluster of the config source itself";
  EXPECT_EQ(changes[0].source, std::nullopt);
  EXPECT_EQ(changes[1].source, 1U);
  EXPECT_THAT(changes[1].added, ElementsAre("x"));
  EXPECT_EQ(changes[2].source, 2U);
  EXPECT_THAT(changes[2].added, ElementsAre("y"));
  EXPECT_THAT(follower.elsewhere(), ElementsAre(Elsewhere{std::string(kEds), "z", "not in this variant"}));
}

TEST_F(FollowerTest, AReferenceIsAWant) {
  Set(Cluster("a", "x"));
  const std::vector<WantChange> changes = follower_.TakeChanges();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].type_url, kEds);
  EXPECT_THAT(changes[0].added, ElementsAre("x"));
  EXPECT_THAT(changes[0].removed, IsEmpty());
  EXPECT_FALSE(changes[0].everything);
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
}

TEST_F(FollowerTest, AWantLastsAsLongAsSomethingRefersToIt) {
  Set(Cluster("a", "x"));
  Set(Cluster("b", "x"));
  EXPECT_THAT(Added(), ElementsAre("x"));
  Remove("a");
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
  Remove("b");
  const std::vector<WantChange> changes = follower_.TakeChanges();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_THAT(changes[0].removed, ElementsAre("x"));
}

TEST_F(FollowerTest, AChangedResourceRefersToWhatItSaysNow) {
  Set(Cluster("a", "x"));
  follower_.TakeChanges();
  Set(Cluster("a", "y"));
  const std::vector<WantChange> changes = follower_.TakeChanges();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_THAT(changes[0].added, ElementsAre("y"));
  EXPECT_THAT(changes[0].removed, ElementsAre("x"));
}

TEST_F(FollowerTest, WhatComesAndGoesBetweenTwoLooksIsNoChange) {
  Set(Cluster("a", "x"));
  Remove("a");
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
  Set(Cluster("a", "x"));
  follower_.TakeChanges();
  Set(Cluster("a", "y"));
  Set(Cluster("a", "x"));
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
}

TEST_F(FollowerTest, WhatComesFromElsewhereIsListedAndNotWanted) {
  Set(Cluster("a", "x", fake::FileSource("/e.yaml")));
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
  EXPECT_THAT(follower_.elsewhere(), ElementsAre(Elsewhere{std::string(kEds), "x", "file /e.yaml"}));
  Remove("a");
  EXPECT_THAT(follower_.elsewhere(), IsEmpty());
}

TEST_F(FollowerTest, WhatCannotBeAskedForIsElsewhere) {
  can_ask_ = false;
  Set(Cluster("a", "x"));
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
  EXPECT_THAT(follower_.elsewhere(), ElementsAre(Elsewhere{std::string(kEds), "x", "not in this variant"}));
}

// A server that refers to ever new names is asked for 64 of them.
TEST_F(FollowerTest, ReferencesAreFollowedToADepth) {
  int asked = 0;
  for (int i = 0; i < 100; ++i) {
    Set(Aggregate(fmt::format("c{}", i), fmt::format("c{}", i + 1)));
    asked += static_cast<int>(Added().size());
  }
  EXPECT_EQ(asked, 64 + 35);  // the 65th was never asked for, so what follows it counts from there
  EXPECT_THAT(follower_.elsewhere(), ElementsAre(Elsewhere{std::string(kCds), "c65", "more than 64 references away"}));
}

// A name may be spelled in several ways, and come as the alias of another.
TEST_F(FollowerTest, TheDepthIsThatOfAllNamesOfAResource) {
  for (int i = 0; i < 64; ++i) {
    resource::Resource cluster =
        Aggregate(fmt::format("xdstp:///c/{}?a=1&b=2", i), fmt::format("xdstp:///c/{}?b=2&a=1", i + 1));
    if (i == 30) {
      cluster.aliases = {cluster.name};
      cluster.name = "other";
    }
    Set(cluster);
    EXPECT_THAT(Added(), SizeIs(1));
  }
  Set(Aggregate("xdstp:///c/64?a=1&b=2", "xdstp:///c/65"));
  EXPECT_THAT(Added(), IsEmpty());
  EXPECT_THAT(follower_.elsewhere(), SizeIs(1));
}

TEST_F(FollowerTest, ACircleThatIsSentAgainStaysAsDeepAsItWas) {
  for (int i = 0; i < 100; ++i) {
    Set(Aggregate("a", "b"));
    Set(Aggregate("b", "a"));
  }
  EXPECT_THAT(Added(), ElementsAre("a", "b"));
  EXPECT_THAT(follower_.elsewhere(), IsEmpty());
}

TEST_F(FollowerTest, AResourceThatCannotBeDecodedRefersToNothing) {
  resource::Resource broken = Cluster("a", "x");
  broken.message = absl::DataLossError("cut off");
  Set(broken);
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
