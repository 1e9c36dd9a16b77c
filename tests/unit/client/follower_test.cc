#include "lib/client/follower.h"

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
  void Set(const resource::Resource& resource) { follower_.Set(std::string(kCds), resource); }
  void Remove(std::string_view name) { follower_.Remove(std::string(kCds), name); }

  std::vector<std::string> Added() {
    const std::vector<WantChange> changes = follower_.TakeChanges();
    return changes.empty() ? std::vector<std::string>() : changes[0].added;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  bool can_ask_ = true;
  Follower follower_{types_, {.this_server = {}, .can_ask = [this](std::string_view) { return can_ask_; }}};
};

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

TEST_F(FollowerTest, AResourceThatCannotBeDecodedRefersToNothing) {
  resource::Resource broken = Cluster("a", "x");
  broken.message = absl::DataLossError("cut off");
  Set(broken);
  EXPECT_THAT(follower_.TakeChanges(), IsEmpty());
}

}  // namespace
}  // namespace xdscope::client
