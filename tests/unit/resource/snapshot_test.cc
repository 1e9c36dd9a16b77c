#include "lib/resource/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/schema/schema.h"
#include "tests/fake/messages.h"

namespace xdscope::resource {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kCds(fake::kCds);
const std::string kLds(fake::kLds);
const std::string kEds(fake::kEds);

class SnapshotTest : public testing::Test {
 protected:
  // Resources of one response, each "name@version", whose content is the version.
  std::vector<Resource> Resources(const std::vector<std::string>& names, std::size_t padding = 0) {
    std::vector<std::string> payloads;
    for (const std::string& name : names) {
      const std::size_t at = name.find('@');
      payloads.push_back(fake::Payload(
          name.substr(0, at), fake::Field(28, name.substr(at + 1)) + fake::Field(1000, std::string(padding, '.'))));
    }
    return FromPayloads(names, payloads);
  }

  std::vector<Resource> FromPayloads(const std::vector<std::string>& names, const std::vector<std::string>& payloads) {
    std::string bytes;
    for (const std::string& payload : payloads) bytes += payload;
    const auto response = std::make_shared<const std::string>(std::move(bytes));
    std::vector<Resource> resources;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string_view entry = std::string_view(*response).substr(begin, payloads[i].size());
      begin += payloads[i].size();
      const std::size_t at = names[i].find('@');
      resources.push_back({.name = names[i].substr(0, at),
                           .version = names[i].substr(at + 1),
                           .type_url = {},
                           .payload = entry,
                           .entry = entry,
                           .message = wire::Open(kCds, entry, types_),
                           .buffer = response});
    }
    return resources;
  }

  ContentChanges Apply(const std::string& type_url, std::vector<Resource> resources, bool whole = false,
                       std::vector<std::string> removed = {}) {
    return snapshot_.Apply({.type_url = type_url,
                            .version = "v",
                            .whole = whole,
                            .resources = std::move(resources),
                            .removed = std::move(removed)},
                           types_);
  }

  std::vector<std::string> Names(const std::string& type) {
    std::vector<std::string> names;
    for (const auto& [name, resource] : snapshot_.types().at(type).resources) {
      names.push_back(name + "@" + resource.version);
    }
    return names;
  }

  schema::Schema schema_ = schema::Schema::Builtin();
  wire::Types types_{schema_};
  Snapshot snapshot_;
};

TEST_F(SnapshotTest, WholeDeliveriesReplaceAndOthersAdd) {
  Apply(kCds, Resources({"b@1", "a@1"}), true);
  Apply(kCds, Resources({"c@2"}), true);
  EXPECT_THAT(Names(kCds), ElementsAre("c@2"));
  Apply(kEds, Resources({"b@1", "a@1"}));
  Apply(kEds, Resources({"b@2", "c@2"}));
  EXPECT_THAT(Names(kEds), ElementsAre("a@1", "b@2", "c@2"));
  EXPECT_EQ(snapshot_.types().at(kEds).version, "v");
}

TEST_F(SnapshotTest, TellsWhatWasAddedChangedAndRemoved) {
  ContentChanges changes = Apply(kCds, Resources({"b@1", "a@1", "c@1"}), true);
  EXPECT_THAT(changes.added, ElementsAre("b", "a", "c"));
  EXPECT_THAT(changes.changed, IsEmpty());
  changes = Apply(kCds, Resources({"a@1", "b@2", "d@1"}), true);
  EXPECT_THAT(changes.added, ElementsAre("d"));
  EXPECT_THAT(changes.changed, ElementsAre("b"));
  EXPECT_THAT(changes.removed, ElementsAre("c"));
  changes = Apply(kCds, {}, false, {"a", "never there"});
  EXPECT_THAT(changes.removed, ElementsAre("a"));
}

TEST_F(SnapshotTest, WhatCameAgainAsItIsHeldStays) {
  Apply(kCds, Resources({"a@1", "b@1", "c@1"}), true);
  const Resource* const a = snapshot_.Find(kCds, "a");
  Delivery delivery{.type_url = kCds, .version = "2", .whole = true, .resources = Resources({"b@2"}), .same = {a, a}};
  const ContentChanges changes = snapshot_.Apply(std::move(delivery), types_);
  EXPECT_THAT(changes.added, IsEmpty());
  EXPECT_THAT(changes.changed, ElementsAre("b"));
  EXPECT_THAT(changes.removed, ElementsAre("c"));
  EXPECT_EQ(snapshot_.Find(kCds, "a"), a);
}

TEST_F(SnapshotTest, WhatCameAgainAndIsRemovedAtOnceWentAndCame) {
  Apply(kCds, Resources({"a@1", "b@1"}), true);
  const ContentChanges changes = snapshot_.Apply(
      {.type_url = kCds, .version = "2", .resources = {}, .removed = {"a"}, .same = {snapshot_.Find(kCds, "a")}},
      types_);
  EXPECT_THAT(changes.removed, ElementsAre("a"));
  EXPECT_THAT(changes.added, ElementsAre("a"));
  EXPECT_THAT(Names(kCds), ElementsAre("a@1", "b@1"));
}

TEST_F(SnapshotTest, WhatCameAgainFirstIsKeptWhateverComesUnderItsNameBesides) {
  Apply(kCds, Resources({"a@1"}), true);
  const ContentChanges changes = snapshot_.Apply({.type_url = kCds,
                                                  .version = "2",
                                                  .whole = true,
                                                  .resources = Resources({"a@2"}),
                                                  .same = {snapshot_.Find(kCds, "a")}},
                                                 types_);
  EXPECT_THAT(changes.changed, IsEmpty());
  EXPECT_THAT(Names(kCds), ElementsAre("a@1"));
}

// Of what is no longer held nothing is remembered.
TEST_F(SnapshotTest, TheOrderOfTheLastDeliveryIsForgottenWithAResource) {
  Apply(kCds, Resources({"a@1", "b@1"}), true);
  const std::vector<const Resource*> both = {snapshot_.Find(kCds, "a"), snapshot_.Find(kCds, "b")};
  snapshot_.Apply({.type_url = kCds, .version = "2", .whole = true, .resources = {}, .same = both}, types_);
  EXPECT_EQ(snapshot_.FindType(kCds)->last_same, both);
  snapshot_.Apply({.type_url = kCds, .version = "3", .whole = true, .resources = {}, .same = {both[1]}}, types_);
  EXPECT_THAT(snapshot_.FindType(kCds)->last_same, IsEmpty());
  EXPECT_EQ(snapshot_.FindType(kLds), nullptr);
}

// Protobuf may write the same message in many ways.
TEST_F(SnapshotTest, OtherBytesThatSayTheSameAreNoChange) {
  const std::string name = fake::Field(1, "a");
  const std::string alt = fake::Field(28, "alt");
  Apply(kCds, FromPayloads({"a@1"}, {name + alt}));
  const ContentChanges changes = Apply(kCds, FromPayloads({"a@2"}, {alt + name}));
  EXPECT_THAT(changes.added, IsEmpty());
  EXPECT_THAT(changes.changed, IsEmpty());
  EXPECT_THAT(Names(kCds), ElementsAre("a@2"));
}

TEST_F(SnapshotTest, OfTwoResourcesOfOneNameInADeliveryTheFirstIsKept) {
  const ContentChanges changes = Apply(kEds, Resources({"a@first", "a@second"}));
  EXPECT_THAT(Names(kEds), ElementsAre("a@first"));
  EXPECT_THAT(changes.added, ElementsAre("a"));
  EXPECT_THAT(changes.changed, IsEmpty());
}

TEST_F(SnapshotTest, ATypeThatAnsweredWithNothingIsThere) {
  EXPECT_TRUE(snapshot_.empty());
  Apply(kCds, {}, true);
  EXPECT_FALSE(snapshot_.empty());
  EXPECT_THAT(snapshot_.types().at(kCds).resources, IsEmpty());
}

TEST_F(SnapshotTest, FindsByTypeAndName) {
  Apply(kEds, Resources({"a@1"}));
  EXPECT_NE(snapshot_.Find(kEds, "a"), nullptr);
  EXPECT_EQ(snapshot_.Find(kEds, "b"), nullptr);
  EXPECT_EQ(snapshot_.Find(kCds, "a"), nullptr);
}

TEST_F(SnapshotTest, AResponseIsLetGoWithItsLastResource) {
  std::vector<Resource> first = Resources({"a@1", "b@1"});
  std::vector<Resource> second = Resources({"a@2"});
  const std::weak_ptr<const std::string> first_response = first.front().buffer;
  const std::weak_ptr<const std::string> second_response = second.front().buffer;
  Apply(kCds, std::move(first));
  Apply(kCds, std::move(second));
  EXPECT_FALSE(first_response.expired());
  Apply(kCds, {}, false, {"b"});
  EXPECT_TRUE(first_response.expired());
  EXPECT_FALSE(second_response.expired());
  Apply(kCds, {}, false, {"a"});
  EXPECT_TRUE(second_response.expired());
}

TEST_F(SnapshotTest, ASmallResourceDoesNotKeepALargeResponseAlive) {
  constexpr std::size_t kPadding = Snapshot::kLargeResponse / 8;
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back(std::to_string(i) + "@1");
  std::vector<Resource> resources = Resources(names, kPadding);
  const std::weak_ptr<const std::string> response = resources.front().buffer;
  const std::string content(resources.front().payload);
  Apply(kCds, std::move(resources));
  for (int i = 9; i > 2; --i) Apply(kCds, {}, false, {std::to_string(i)});
  EXPECT_FALSE(response.expired());
  Apply(kCds, {}, false, {"2"});
  EXPECT_TRUE(response.expired());
  const Resource* kept = snapshot_.Find(kCds, "0");
  EXPECT_EQ(kept->payload, content);
  EXPECT_EQ(kept->message->view().bytes(), content);
  EXPECT_EQ(kept->message->view().GetText("name"), "0");
  const std::weak_ptr<const std::string> copy = kept->buffer;
  Apply(kCds, {}, false, {"0", "1"});
  EXPECT_TRUE(copy.expired());
}

// As where a server sends everything again and little of it is new.
TEST_F(SnapshotTest, ALargeResponseOfWhichLittleIsTakenIsLetGoAtOnce) {
  Apply(kCds, Resources({"a@1"}));
  std::vector<Resource> resources = Resources({"a@2", "b@1", "c@1", "d@1", "e@1"}, Snapshot::kLargeResponse / 4);
  const std::weak_ptr<const std::string> response = resources.front().buffer;
  const std::string content(resources.front().payload);
  resources.erase(resources.begin() + 1, resources.end());
  Apply(kCds, std::move(resources));
  EXPECT_TRUE(response.expired());
  EXPECT_EQ(snapshot_.Find(kCds, "a")->payload, content);
}

TEST_F(SnapshotTest, ResourcesWithoutBytesCountToo) {
  std::vector<Resource> resources = FromPayloads({"#1@1", "#2@1"}, {"", ""});
  const std::weak_ptr<const std::string> response = resources.front().buffer;
  Apply(kCds, std::move(resources));
  Apply(kCds, {}, false, {"#1"});
  EXPECT_FALSE(response.expired());
  Apply(kCds, {}, false, {"#2"});
  EXPECT_TRUE(response.expired());
}

TEST_F(SnapshotTest, TypesComeInTheOrderInWhichTheyArePrinted) {
  for (const std::string& type : {std::string("z.Custom"), kEds, kCds, std::string("a.Custom"), kLds}) Apply(type, {});
  std::vector<std::string> order;
  for (const auto& [type, state] : snapshot_.types()) order.push_back(type);
  EXPECT_THAT(order, ElementsAre(kLds, kCds, kEds, "a.Custom", "z.Custom"));
}

}  // namespace
}  // namespace xdscope::resource
