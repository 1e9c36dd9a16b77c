#include "lib/protocol/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/protocol/interest.h"

namespace xdscope::protocol {
namespace {

using ::testing::ElementsAre;

std::string Normal(std::string_view name) {
  std::string room;
  return std::string(NormalName(name, &room));
}

TEST(Names, OnlyTheContextParametersOfXdstpNamesAreSorted) {
  EXPECT_EQ(Normal("xdstp://a/T/x?b=1&a=2"), "xdstp://a/T/x?a=2&b=1");
  EXPECT_EQ(Normal("xdstp://a/T/x?a=2&b=1"), "xdstp://a/T/x?a=2&b=1");
  EXPECT_EQ(Normal("xdstp://a/T/x&y"), "xdstp://a/T/x&y");
  EXPECT_EQ(Normal("http://a/T/x?b=1&a=2"), "http://a/T/x?b=1&a=2");
  EXPECT_EQ(Normal(""), "");
}

TEST(Names, AGlobStandsForItsOwnDirectory) {
  EXPECT_TRUE(IsGlob("xdstp://a/T/dir/*"));
  EXPECT_TRUE(IsGlob("xdstp://a/T/dir/*?x=1"));
  EXPECT_FALSE(IsGlob("xdstp://a/T/dir/x"));
  EXPECT_FALSE(IsGlob("*"));
  EXPECT_EQ(GlobOver("xdstp://a/T/dir/one"), "xdstp://a/T/dir/*");
  EXPECT_EQ(GlobOver("xdstp://a/T/dir/sub/one"), "xdstp://a/T/dir/sub/*");
  EXPECT_EQ(GlobOver("xdstp://a/T/dir/one?x=1"), "xdstp://a/T/dir/*?x=1");
}

TEST(Names, AFolderIsThePathWithoutItsLastPart) {
  EXPECT_EQ(FolderOf("xdstp://a/T/dir/one"), "xdstp://a/T/dir/");
  EXPECT_EQ(FolderOf("xdstp://a/T/dir/*?x=/y"), "xdstp://a/T/dir/");
}

TEST(Interest, NamesAreSortedAndOnce) {
  EXPECT_THAT(Interest::Names({"b", "a", "b", ""}).names(), ElementsAre("a", "b"));
  EXPECT_TRUE(Interest::Names({}).is_nothing());
  EXPECT_TRUE(Interest::Names({"b", "a"}).Has("a"));
  EXPECT_FALSE(Interest::Names({"b", "a"}).Has("c"));
}

TEST(Interest, TheStarIsEverything) {
  const Interest interest = Interest::Names({"*", "a"});
  EXPECT_TRUE(interest.everything());
  EXPECT_TRUE(interest.starred());
  EXPECT_THAT(interest.names(), ElementsAre("a"));
  EXPECT_FALSE(Interest::Everything().starred());
}

TEST(Interest, NothingAndEverythingAreNotAlike) {
  EXPECT_NE(Interest::Nothing(), Interest::Everything());
  EXPECT_FALSE(Interest::Everything().is_nothing());
}

TEST(Interest, AChangeIsWhatLeadsFromOneToTheOther) {
  const InterestChange change = ChangeBetween(Interest::EverythingAnd({"a", "b"}), Interest::Names({"b", "c"}));
  EXPECT_EQ(change.add, Interest::Names({"c"}));
  EXPECT_EQ(change.remove, Interest::EverythingAnd({"a"}));
  EXPECT_TRUE(ChangeBetween(Interest::Everything(), Interest::Everything()).empty());
}

TEST(Interest, EverythingByAnotherWordIsAChange) {
  EXPECT_EQ(ChangeBetween(Interest::Everything(), Interest::Names({"*"})).add, Interest::Names({"*"}));
}

}  // namespace
}  // namespace xdscope::protocol
