#include "lib/resource/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/messages.h"

namespace xdscope::resource {
namespace {

using ::testing::ElementsAre;

const std::string kCds(fake::kCds);
const std::string kLds(fake::kLds);
const std::string kEds(fake::kEds);

std::vector<Resource> Resources(const std::vector<std::pair<std::string, std::string>>& names_and_versions) {
  std::vector<Resource> resources;
  const auto response = std::make_shared<const std::string>();
  for (const auto& [name, version] : names_and_versions) {
    resources.push_back({.name = name,
                         .version = version,
                         .type_url = {},
                         .payload = {},
                         .entry = {},
                         .message = absl::NotFoundError(""),
                         .buffer = response});
  }
  return resources;
}

std::vector<std::string> Names(const Snapshot& snapshot, const std::string& type) {
  std::vector<std::string> names;
  for (const auto& [name, resource] : snapshot.types().at(type).resources)
    names.push_back(name + "@" + resource.version);
  return names;
}

TEST(Snapshot, WholeResponsesReplaceAndOthersAdd) {
  Snapshot snapshot;
  snapshot.Take(kCds, "1", Resources({{"b", "1"}, {"a", "1"}}), true);
  snapshot.Take(kCds, "2", Resources({{"c", "2"}}), true);
  EXPECT_THAT(Names(snapshot, kCds), ElementsAre("c@2"));
  snapshot.Take(kEds, "1", Resources({{"b", "1"}, {"a", "1"}}), false);
  snapshot.Take(kEds, "2", Resources({{"b", "2"}, {"c", "2"}}), false);
  EXPECT_THAT(Names(snapshot, kEds), ElementsAre("a@1", "b@2", "c@2"));
  EXPECT_EQ(snapshot.types().at(kEds).version, "2");
}

TEST(Snapshot, OfTwoResourcesOfOneNameInAResponseTheFirstIsKept) {
  Snapshot snapshot;
  snapshot.Take(kEds, "1", Resources({{"a", "first"}, {"a", "second"}}), false);
  EXPECT_THAT(Names(snapshot, kEds), ElementsAre("a@first"));
}

TEST(Snapshot, ATypeThatAnsweredWithNothingIsThere) {
  Snapshot snapshot;
  EXPECT_TRUE(snapshot.empty());
  snapshot.Take(kCds, "1", {}, true);
  EXPECT_FALSE(snapshot.empty());
  EXPECT_TRUE(snapshot.types().at(kCds).resources.empty());
}

TEST(Snapshot, RemovingIsByNameAndOfUnknownNamesHarmless) {
  Snapshot snapshot;
  snapshot.Take(kEds, "1", Resources({{"a", "1"}, {"b", "1"}}), false);
  snapshot.Remove(kEds, "a");
  snapshot.Remove(kEds, "x");
  snapshot.Remove(kCds, "a");
  EXPECT_THAT(Names(snapshot, kEds), ElementsAre("b@1"));
  EXPECT_EQ(snapshot.Find(kEds, "a"), nullptr);
  EXPECT_NE(snapshot.Find(kEds, "b"), nullptr);
}

TEST(Snapshot, TypesComeInTheOrderInWhichTheyArePrinted) {
  Snapshot snapshot;
  for (const std::string& type : {std::string("z.Custom"), kEds, kCds, std::string("a.Custom"), kLds}) {
    snapshot.Take(type, "", {}, false);
  }
  std::vector<std::string> order;
  for (const auto& [type, state] : snapshot.types()) order.push_back(type);
  EXPECT_THAT(order, ElementsAre(kLds, kCds, kEds, "a.Custom", "z.Custom"));
}

}  // namespace
}  // namespace xdscope::resource
