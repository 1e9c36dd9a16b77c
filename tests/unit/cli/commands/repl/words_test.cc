#include "cli/commands/repl/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Texts(std::string_view line) {
  std::vector<std::string> texts;
  const absl::StatusOr<std::vector<Word>> words = SplitLine(line);
  EXPECT_TRUE(words.ok()) << words.status();
  for (const Word& word : *words) texts.push_back(word.text);
  return texts;
}

TEST(Words, BlanksPartThemAndQuotesHoldThemTogether) {
  EXPECT_THAT(Texts("  nack cds 'bad cluster'\t\"no, really\" "),
              ElementsAre("nack", "cds", "bad cluster", "no, really"));
  EXPECT_THAT(Texts("a'b c'd"), ElementsAre("ab cd"));
  EXPECT_THAT(Texts("''"), ElementsAre(""));
  EXPECT_THAT(Texts(""), ElementsAre());
}

TEST(Words, ABackslashTakesTheMeaningFromWhatFollows) {
  EXPECT_THAT(Texts(R"(a\ b \# \')"), ElementsAre("a b", "#", "'"));
  EXPECT_THAT(Texts(R"("a\"b\\c\d")"), ElementsAre(R"(a"b\c\d)"));
  EXPECT_THAT(Texts(R"('a\b')"), ElementsAre(R"(a\b)"));
}

TEST(Words, ACommentBeginsWhereAWordCould) {
  EXPECT_THAT(Texts("ack # the first"), ElementsAre("ack"));
  EXPECT_THAT(Texts("#!/usr/bin/xdscope"), ElementsAre());
  EXPECT_THAT(Texts("sub cds:a#b #both"), ElementsAre("sub", "cds:a#b"));
  EXPECT_THAT(Texts("ack #3"), ElementsAre("ack", "#3"));
}

TEST(Words, AQuoteThatIsNotClosedIsAnError) {
  EXPECT_THAT(SplitLine("nack 'bad").status().message(), HasSubstr("is not closed"));
  EXPECT_THAT(SplitLine("nack \"bad").status().message(), HasSubstr("is not closed"));
  EXPECT_THAT(SplitLine("nack \\").status().message(), HasSubstr("backslash"));
}

TEST(Words, AWordKnowsWhereItStands) {
  const absl::StatusOr<std::vector<Word>> words = SplitLine("sub 'a b'");
  ASSERT_TRUE(words.ok());
  EXPECT_EQ((*words)[1].begin, 4U);
  EXPECT_EQ((*words)[1].end, 9U);
}

TEST(Words, WhatIsQuotedIsTakenBack) {
  for (const std::string_view word : {"plain", "", "a b", "it's", "a\"b", "\\", "#3", "it's \"both\" \\"}) {
    EXPECT_THAT(Texts("x " + Quoted(word)), ElementsAre("x", std::string(word)));
  }
}

}  // namespace
}  // namespace xdscope::cli
