#include "lib/files/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/messages.h"

namespace xdscope::files {
namespace {

using fake::kCds;
using fake::kEds;
using fake::kVhds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ResourcePtr Make(std::string_view type_url, std::string name, std::string version, std::string origin = {},
                 std::vector<std::string> aliases = {}) {
  return std::make_shared<const FileResource>(FileResource{.type_url = std::string(type_url),
                                                           .name = std::move(name),
                                                           .version = std::move(version),
                                                           .aliases = std::move(aliases),
                                                           .payload = {},
                                                           .origin = std::move(origin)});
}

TypeContents Of(std::string_view type_url, const std::vector<ResourcePtr>& resources) {
  std::vector<std::string> duplicates;
  for (auto& [name, contents] : SortByType(resources, &duplicates)) {
    if (contents.type_url == type_url) return contents;
  }
  return NothingOf(std::string(type_url));
}

std::vector<std::string> NamesIn(const TypeContents& contents) {
  std::vector<std::string> names;
  for (const ResourcePtr& resource : contents.resources) names.push_back(resource->name);
  return names;
}

TEST(Contents, AreSortedByTypeAndName) {
  const std::vector<ResourcePtr> all = {Make(kEds, "e", "1"), Make(kCds, "b", "1"), Make(kCds, "a", "1")};
  EXPECT_THAT(NamesIn(Of(kCds, all)), ElementsAre("a", "b"));
  EXPECT_THAT(NamesIn(Of(kEds, all)), ElementsAre("e"));
}

TEST(Contents, AVersionFollowsNamesAndVersionsWhateverTheirOrder) {
  const ResourcePtr a = Make(kCds, "a", "1");
  const ResourcePtr b = Make(kCds, "b", "1");
  EXPECT_EQ(Of(kCds, {a, b}).version, Of(kCds, {b, a}).version);
  EXPECT_NE(Of(kCds, {a, b}).version, Of(kCds, {a}).version);
  EXPECT_NE(Of(kCds, {a}).version, Of(kCds, {Make(kCds, "a", "2")}).version);
  EXPECT_NE(Of(kCds, {}).version, "");
}

TEST(Contents, OfTwoResourcesOfOneNameTheFirstCounts) {
  std::vector<std::string> duplicates;
  const Contents contents =
      SortByType({Make(kCds, "a", "1", "a.yaml:1"), Make(kCds, "a", "2", "b.yaml:3")}, &duplicates);
  EXPECT_THAT(duplicates, ElementsAre("cds a: is in a.yaml:1 and in b.yaml:3; the first counts"));
  EXPECT_EQ((*contents.begin()->second.Find("a"))->version, "1");
}

TEST(Contents, FindByNameAndKnowAliases) {
  const TypeContents contents = Of(kVhds, {Make(kVhds, "r/h", "1", {}, {"r/www"}), Make(kVhds, "r/x", "1")});
  EXPECT_NE(contents.Find("r/x"), nullptr);
  EXPECT_EQ(contents.Find("r/www"), nullptr);
  EXPECT_EQ(contents.aliases.at("r/www"), "r/h");
  EXPECT_THAT(NamesIn(NothingOf("x")), IsEmpty());
}

}  // namespace
}  // namespace xdscope::files
