#include "lib/server/inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/response.h"
#include "tests/fake/messages.h"

namespace xdscope::server {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kRds;
using fake::kVhds;
using protocol::ServerResponse;
using protocol::Variant;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

ResourcePtr Make(std::string_view type_url, std::string name, std::string version,
                 std::vector<std::string> aliases = {}) {
  FileResource resource{std::string(type_url), std::move(name), std::move(version), std::move(aliases), {}, "a.yaml:1"};
  resource.payload = resource.name + "=" + resource.version;
  return std::make_shared<const FileResource>(std::move(resource));
}

std::string Join(const std::vector<transport::Chunk>& chunks) {
  std::string bytes;
  for (const transport::Chunk& chunk : chunks) bytes += chunk.buffer->substr(chunk.offset, chunk.size);
  return bytes;
}

std::vector<std::string> NamesIn(Variant variant, const std::vector<transport::Chunk>& chunks) {
  const auto response = protocol::ReadResponse(variant, std::make_shared<const std::string>(Join(chunks)));
  EXPECT_TRUE(response.ok()) << response.status();
  std::vector<std::string> payloads;
  for (const protocol::Resource& resource : response->resources) payloads.emplace_back(resource.payload);
  return payloads;
}

TEST(InventoryTest, SortsByTypeAndName) {
  Inventory inventory;
  const Inventory::SetResult update = inventory.Set({Make(kEds, "e", "1"), Make(kCds, "b", "1"), Make(kCds, "a", "1")});
  ASSERT_THAT(update.changes, SizeIs(2));
  EXPECT_EQ(update.changes[0].type_url, kCds);  // in the order of output
  EXPECT_THAT(update.changes[0].added, ElementsAre("a", "b"));
  EXPECT_THAT(inventory.Types(), ElementsAre(Pair(kCds, 2), Pair(kEds, 1)));
  const auto snapshot = inventory.Find(kCds);
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->resources[0].name, "a");
  EXPECT_EQ(inventory.Find("type.googleapis.com/no.such.Type"), nullptr);
}

TEST(InventoryTest, SaysWhatBecameOfEachType) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1"), Make(kEds, "e", "1")});
  const Inventory::SetResult update = inventory.Set({Make(kCds, "b", "2"), Make(kCds, "c", "1"), Make(kEds, "e", "1")});
  ASSERT_THAT(update.changes, SizeIs(1));  // EDS did not change
  EXPECT_THAT(update.changes[0].added, ElementsAre("c"));
  EXPECT_THAT(update.changes[0].changed, ElementsAre("b"));
  EXPECT_THAT(update.changes[0].removed, ElementsAre("a"));
  EXPECT_EQ(update.changes[0].total, 2U);
}

TEST(InventoryTest, TheSameContentIsTheSameVersionAndTheSameObject) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1")});
  const auto before = inventory.Find(kCds);
  EXPECT_THAT(inventory.Set({Make(kCds, "b", "1"), Make(kCds, "a", "1")}).changes, IsEmpty());
  EXPECT_EQ(inventory.Find(kCds), before);
  (void)inventory.Set({Make(kCds, "a", "1")});
  EXPECT_NE(inventory.Find(kCds)->version, before->version);
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1")});
  EXPECT_EQ(inventory.Find(kCds)->version, before->version);  // and again after it was away
}

TEST(InventoryTest, ATypeOfWhichEverythingWentIsEmptyNotUnknown) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1")});
  const Inventory::SetResult update = inventory.Set({});
  ASSERT_THAT(update.changes, SizeIs(1));
  EXPECT_THAT(update.changes[0].removed, ElementsAre("a"));
  ASSERT_NE(inventory.Find(kCds), nullptr);
  EXPECT_THAT(inventory.Find(kCds)->resources, IsEmpty());
  EXPECT_THAT(inventory.Types(), IsEmpty());
}

TEST(InventoryTest, ClustersThatGoWithTheirRoutesAreDeparting) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1"), Make(kRds, "r", "1")});
  const auto names = [&](const std::vector<ResourcePtr>& next) {
    std::vector<std::string> found;
    for (const ResourcePtr& resource : inventory.Departing(next)) found.push_back(resource->name);
    return found;
  };
  EXPECT_THAT(names({Make(kCds, "b", "1"), Make(kRds, "r", "2")}), ElementsAre("a"));
  EXPECT_THAT(names({Make(kRds, "r", "2")}), ElementsAre("a", "b"));
  EXPECT_THAT(names({}), ElementsAre("a", "b"));
  EXPECT_THAT(names({Make(kCds, "b", "1"), Make(kRds, "r", "1")}), IsEmpty());  // nothing stops pointing to it
  EXPECT_THAT(names({Make(kCds, "a", "2"), Make(kCds, "b", "1"), Make(kRds, "r", "2")}), IsEmpty());
}

TEST(InventoryTest, OfTwoResourcesOfOneNameTheFirstCounts) {
  Inventory inventory;
  const Inventory::SetResult update = inventory.Set({Make(kCds, "a", "1"), Make(kCds, "a", "2")});
  EXPECT_THAT(update.duplicates, ElementsAre("cds a: is in a.yaml:1 and in a.yaml:1; the first counts"));
  EXPECT_EQ(inventory.Find(kCds, "a")->version, "1");
}

TEST(InventoryTest, ComposesAWholeResponseOfSharedBytes) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1")});
  ServerResponse answer{std::string(kCds), "v", "1", inventory.Find(kCds), true, {}, {}, {}};
  const auto first = inventory.Compose(Variant::kSotw, answer);
  answer.nonce = "2";
  const auto second = inventory.Compose(Variant::kSotw, answer);
  EXPECT_THAT(NamesIn(Variant::kSotw, first), ElementsAre("a=1", "b=1"));
  ASSERT_THAT(first, SizeIs(2));
  EXPECT_EQ(first[1].buffer, second[1].buffer);
}

TEST(InventoryTest, NeighboursAreOneChunk) {
  Inventory inventory;
  (void)inventory.Set({Make(kCds, "a", "1"), Make(kCds, "b", "1"), Make(kCds, "c", "1"), Make(kCds, "d", "1")});
  const ServerResponse answer{std::string(kCds), "v", "1", inventory.Find(kCds), false, {0, 1, 3}, {"gone"}, {}};
  const auto chunks = inventory.Compose(Variant::kDelta, answer);
  EXPECT_THAT(chunks, SizeIs(3));  // the envelope, a and b, d
  EXPECT_THAT(NamesIn(Variant::kDelta, chunks), ElementsAre("a=1", "b=1", "d=1"));
}

TEST(InventoryTest, ATimeToLiveIsSaidWhereItMayBe) {
  FileResource mortal = *Make(kEds, "b", "1");
  mortal.ttl = std::chrono::seconds(30);
  Inventory inventory;
  (void)inventory.Set({Make(kEds, "a", "1"), std::make_shared<const FileResource>(mortal), Make(kEds, "c", "1")});
  EXPECT_THAT(inventory.Find(kEds)->by_ttl, ElementsAre(Pair(std::chrono::seconds(30), ElementsAre(1))));
  ServerResponse answer{std::string(kEds), "v", "1", inventory.Find(kEds), true, {}, {}, {}};
  const auto read = [&](Variant variant) {
    const std::string bytes = Join(inventory.Compose(variant, answer));
    return protocol::ReadResponse(variant, std::make_shared<const std::string>(bytes)).value();
  };
  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_FALSE(read(Variant::kSotw).resources[i].wrapped);
  EXPECT_EQ(read(Variant::kDelta).resources[0].ttl, std::nullopt);
  EXPECT_EQ(read(Variant::kDelta).resources[1].ttl, std::chrono::seconds(30));
  answer.wrapped = true;
  EXPECT_FALSE(read(Variant::kSotw).resources[0].wrapped);
  EXPECT_EQ(read(Variant::kSotw).resources[1].ttl, std::chrono::seconds(30));
  const protocol::Response wrapped = read(Variant::kSotw);
  EXPECT_EQ(wrapped.resources[1].payload, "b=1");
  answer.all = false;
  answer.resources = {1};
  answer.payloads = false;
  ASSERT_THAT(read(Variant::kDelta).resources, SizeIs(1));
  EXPECT_FALSE(read(Variant::kDelta).resources[0].has_payload);
}

TEST(InventoryTest, FindsWhatGoesByAnAlias) {
  Inventory inventory;
  (void)inventory.Set({Make(kVhds, "routes/web", "1", {"routes/web.example.com"})});
  EXPECT_EQ(inventory.Canonical(kVhds, "routes/web.example.com"), "routes/web");
  EXPECT_EQ(inventory.Canonical(kVhds, "routes/other"), "");
  EXPECT_EQ(inventory.Canonical(kCds, "routes/web.example.com"), "");
}

}  // namespace
}  // namespace xdscope::server
