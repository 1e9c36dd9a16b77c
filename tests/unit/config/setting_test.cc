#include "lib/config/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/unit/config/parsed.h"

namespace xdscope::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string ErrorAtSetting(const Setting& setting) {
  return std::string(base::Message(setting.Error("is wrong")));
}

TEST(Setting, KnowsLineAndPath) {
  const Document document = Parsed("a:\n- b: 1\n- {c: x}\nm: {k.l: [5]}\n");
  const Setting root(document, document.root());
  EXPECT_EQ(ErrorAtSetting(root["a"].Elements()[1]["c"]), "f:3: a[1].c: is wrong");
  EXPECT_EQ(ErrorAtSetting(root["a"].First()["b"]), "f:2: a[0].b: is wrong");
  EXPECT_EQ(ErrorAtSetting(root["m"].Members()[0].second.First()), "f:4: m[\"k.l\"][0]: is wrong");
  EXPECT_EQ(ErrorAtSetting(root), "f:1: is wrong");
}

TEST(Setting, WhatIsAbsentHasAPathAndTheLineOfTheNearestThingAround) {
  const Document document = Parsed("a:\n  b: {c: 1}\n");
  const Setting root(document, document.root());
  const Setting absent = root["a"]["b"]["x"]["y"].First();
  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.Text(), "");
  EXPECT_THAT(absent.Elements(), IsEmpty());
  EXPECT_THAT(absent.Members(), IsEmpty());
  EXPECT_EQ(ErrorAtSetting(absent), "f:2: a.b.x.y[0]: is wrong");
}

TEST(Setting, ListsHaveElementsAndMapsHaveMembers) {
  const Document document = Parsed("list: [v, w]\nmap: {a: 1, b: 2}\ntext: t\n");
  const Setting root(document, document.root());
  std::vector<std::string_view> texts;
  for (const Setting& element : root["list"].Elements()) texts.push_back(element.Text());
  for (const auto& [key, value] : root["map"].Members()) {
    texts.push_back(key);
    texts.push_back(value.Text());
  }
  EXPECT_THAT(texts, ElementsAre("v", "w", "a", "1", "b", "2"));
  EXPECT_EQ(root["list"].First().Text(), "v");
  EXPECT_THAT(root["text"].Elements(), IsEmpty());
  EXPECT_FALSE(root["text"].First());
  EXPECT_THAT(root["list"].Members(), IsEmpty());
}

TEST(Setting, AMapIsAListOfOneWhereAListIsExpected) {
  const Document document = Parsed("map: {a: 1, b: 2}\n");
  const Setting map = Setting(document, document.root())["map"];
  EXPECT_EQ(map.First()["b"].Text(), "2");
  ASSERT_THAT(map.Elements(), testing::SizeIs(1));
  EXPECT_EQ(ErrorAtSetting(map.Elements()[0]["a"]), "f:1: map.a: is wrong");
}

TEST(Setting, AMemberThatNobodyKnowsIsFound) {
  const Document document = Parsed("a_b: 1\ncD: 2\nnothing: null\nother: 3\nlast: 4\n");
  const Setting root(document, document.root());
  constexpr std::array<std::string_view, 2> kKnown = {"a_b", "c_d"};
  EXPECT_EQ(ErrorAtSetting(root.FirstBesides(kKnown)), "f:4: other: is wrong");
  constexpr std::array<std::string_view, 4> kAll = {"a_b", "c_d", "other", "last"};
  EXPECT_FALSE(root.FirstBesides(kAll));
  EXPECT_FALSE(root["a_b"].FirstBesides(kKnown)) << "no map";
  EXPECT_FALSE(root["absent"].FirstBesides(kKnown));
}

}  // namespace
}  // namespace xdscope::config
