#include "lib/finding/rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/finding/pgv_rules.h"

namespace xdscope::finding {
namespace {

bool IsSortedWithoutRepeats(std::span<const Rule> rules) {
  return std::adjacent_find(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id >= b.id; }) ==
         rules.end();
}

TEST(RulesTest, TheTablesAreSortedAndNameEachRuleOnce) {
  EXPECT_TRUE(IsSortedWithoutRepeats(ProtocolRules()));
  EXPECT_TRUE(IsSortedWithoutRepeats(ReadingRules()));
  EXPECT_TRUE(IsSortedWithoutRepeats(ConfigRules()));
  EXPECT_TRUE(IsSortedWithoutRepeats(PgvRules()));
}

TEST(RulesTest, ARuleIsFoundByItsIdInEitherTable) {
  ASSERT_NE(FindRule("XDS-S001"), nullptr);
  EXPECT_EQ(FindRule("XDS-S001")->id, "XDS-S001");
  ASSERT_NE(FindRule("XDS-V001"), nullptr);
  ASSERT_NE(FindRule("pgv.uint32.gte"), nullptr);
  EXPECT_EQ(PgvRule("uint32", "gte"), "pgv.uint32.gte");
  EXPECT_EQ(PgvRule("uint32", "min_len"), "");
  EXPECT_EQ(FindRule("XDS-X999"), nullptr);
}

TEST(RulesTest, TheSeverityIsThatOfTheRow) {
  EXPECT_EQ(SeverityOf("XDS-S001"), Severity::kError);
  EXPECT_EQ(SeverityOf("XDS-S003"), Severity::kInfo);
  EXPECT_EQ(SeverityOf("XDS-X999"), Severity::kError);
}

// A client refuses for these (XDS-C026, protocol.md B.2-18, B.2-20).
TEST(RulesTest, AResourceIsBadThatCannotBeUsedAsItIsSaid) {
  for (const std::string_view id :
       {"XDS-S007", "XDS-S016", "XDS-S039", "XDS-S040", "XDS-S055", "XDS-S056", "XDS-V127", "pgv.uint32.gte"}) {
    EXPECT_TRUE(MakesBad(id)) << id;
    EXPECT_NE(FindRule(id), nullptr) << id;
  }
  EXPECT_FALSE(MakesBad("XDS-S001"));
  EXPECT_FALSE(MakesBad("XDS-S041"));
}

TEST(RulesTest, EachTextIsOneSentence) {
  for (const auto& rules : {ProtocolRules(), ReadingRules(), ConfigRules(), PgvRules()}) {
    for (const Rule& rule : rules) {
      EXPECT_TRUE(rule.text.ends_with('.')) << rule.id;
      EXPECT_EQ(rule.text.find('\n'), std::string_view::npos) << rule.id;
    }
  }
}

}  // namespace
}  // namespace xdscope::finding
