#include "lib/format/yaml_flaw.h"

#include <gtest/gtest.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

namespace xdscope::format {
namespace {

// The offset of the flaw and what it is; empty where there is none.
std::string Flaw(std::string_view text) {
  const std::optional<YamlFlaw> flaw = FindYamlFlaw(text);
  return flaw ? std::to_string(flaw->offset) + " " + std::string(flaw->what) : "";
}

TEST(YamlFlaw, AQuoteThatIsNeverClosedIsOneWhereItOpens) {
  EXPECT_EQ(Flaw("name: \"web\nother: x\n"), "6 unterminated quote");
  EXPECT_EQ(Flaw("name: 'web\nother: x\n"), "6 unterminated quote");
  EXPECT_EQ(Flaw("\xEF\xBB\xBF'"), "3 unterminated quote");
  EXPECT_EQ(Flaw("a: [b, \"c]\n"), "7 unterminated quote");
  EXPECT_EQ(Flaw("{\"a\":'b}\n"), "5 unterminated quote");
  EXPECT_EQ(Flaw("'it''s\n"), "0 unterminated quote");
  EXPECT_EQ(Flaw("\"a\\\"\n"), "0 unterminated quote");
  EXPECT_EQ(Flaw("\"a\\"), "0 unterminated quote");
  EXPECT_EQ(Flaw("- &x !t \"a\n"), "8 unterminated quote");
}

TEST(YamlFlaw, AMarkBetweenDocumentsEndsAQuote) {
  EXPECT_EQ(Flaw("a: \"b\n---\nc: \"d\"\n"), "3 unterminated quote");
  EXPECT_EQ(Flaw("a: 'b\n...\n'\n"), "3 unterminated quote");
  EXPECT_EQ(Flaw("a: 'b\n ---\n'\n"), "");
  EXPECT_EQ(Flaw("a: 'b\n---c'\n"), "");
}

TEST(YamlFlaw, AQuoteThatRunsToTheNextOneIsNotClosedByIt) {
  EXPECT_EQ(Flaw("- name: 'web\n- '@type': x\n"), "8 unterminated quote");
  EXPECT_EQ(Flaw("name: \"web\nother: \"x\"\n"), "6 unterminated quote");
  EXPECT_EQ(Flaw("a: \"b\n  c\"\nd: 'e\n  f' # g\n'h\n  i': [\"j\n\", 'k\n']\n"), "");
  // To yaml-cpp these are two documents.
  EXPECT_EQ(Flaw("'a\n b'c\n"), "");
  EXPECT_EQ(Flaw("!t 'a\n b'c\n"), "");
}

TEST(YamlFlaw, OnlyAQuoteAtTheBeginningOfATextIsOne) {
  for (const char* text : {"a: it's\n",
                           "a: b \"c\n",
                           "a: x'\n  'y\n",
                           "# don't\na: 1 # \"\n",
                           "a: |\n  \"\n  '\nb: 1\n",
                           "a: >-\n\n   '\n",
                           "- |\n '\n",
                           "- a: |\n    '\n  b: 1\n",
                           "a: !t'x y\n",
                           "a: &x' b\n",
                           "[a'b, {c: d\"}]\n",
                           "%TAG ! '\n---\na\n",
                           "a: ''\nb: 'it''s'\nc: \"\\\"\"\n",
                           "a: \"b\n  c\"\n",
                           "a:\n- |2\n   '\n",
                           "a: |\n\n\n '\n",
                           "? |\n  '\n: b\n",
                           "--- |\n '\n",
                           "a: |+\n  '\n...\n",
                           "{a: b'}\n",
                           "{'a':b'}\n",
                           "[a: \"b\"]\n",
                           "'a': \"b\"\n",
                           "a: \"b\\\n  c\"\r\n"}) {
    EXPECT_EQ(Flaw(text), "") << text;
  }
}

TEST(YamlFlaw, FlowsNestToADepth) {
  const std::string open(kMostFlows, '['), close(kMostFlows, ']');
  EXPECT_EQ(Flaw(open + close), "");
  EXPECT_EQ(Flaw("a: |\n  [" + open), "");
  EXPECT_EQ(Flaw("[" + open), "100 nested too deeply");
  EXPECT_EQ(Flaw("a:\n  " + open + "{"), "105 nested too deeply");
  EXPECT_EQ(Flaw(open + close + "\n---\n" + open + close), "");
}

TEST(YamlFlaw, WhatYamlCppWouldHoldInMemoryIsBounded) {
  std::string commas = "[";
  commas.resize(kMostTokensHeld + 2, ',');
  EXPECT_EQ(Flaw("- " + commas), "2 too many values in one flow collection: write it as JSON");
  EXPECT_EQ(Flaw("a: " + commas), "") << "behind a key there is no other key, so nothing is held";
  std::string lines;
  while (lines.size() < kMostTokensHeld) lines += "- [,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,]\n";
  EXPECT_EQ(Flaw(lines), "");
}

TEST(YamlFlaw, ATextInUtf16IsNone) {
  for (const std::string_view text : {std::string_view("\xFF\xFE"), std::string_view("\xFE\xFF"),
                                      std::string_view("[\0", 2), std::string_view("\0[", 2)}) {
    EXPECT_EQ(Flaw(text), "0 YAML has to be UTF-8");
  }
}

// ---- Against yaml-cpp itself.

// Takes everything; ends yaml-cpp where it would give one empty document after another.
class Nobody : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= last_) throw YAML::ParserException(mark, "again");
    last_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int last_ = -1;
};

struct Verdict {
  std::string error;  // empty: none
  std::size_t offset = 0;
};

Verdict Ask(const std::string& text) {
  std::istringstream stream(text);
  Nobody nobody;
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(nobody)) {
    }
  } catch (const YAML::Exception& error) {
    return {error.msg, static_cast<std::size_t>(std::max(error.mark.pos, 0))};
  }
  return {};
}

template <std::size_t N>
std::string_view OneOf(const std::string_view (&choices)[N], std::mt19937& random) {
  return choices[random() % N];
}

// Lines that are nearly right.
std::string RandomYaml(std::mt19937& random) {
  constexpr std::string_view kBegins[] = {"",   "",  "  ", "    ",  "- ",    "  - ",
                                          "\t", " ", "? ", "---\n", "...\n", "- - "};
  constexpr std::string_view kKeys[] = {
      "", "a: ", "b:", "'c': ", "\"d\": ", "*x : ", "&k e: ", "!t f: ", "[g]: ", "? "};
  constexpr std::string_view kValues[] = {
      "",         "x",      "x y",       "it's",      "\"q\"",     "'r'",   "'s''t'",    "|",    ">-", "|2",
      "[u, v]",   "{w: x}", "[",         "]",         "{",         "}",     "{\"a\":b}", "&x y", "*x", "!t z",
      "!<u> '",   "\"",     "'",         ", ",        "# c",       " # \"", "x#y",       "a: b", "-",  "\"\\\"",
      "[a: 'b',", "&x |",   "{a: b, c}", "[? a : b]", "{'a':'b'}", "x:y",   "!t|",       "- |",  "\\", "%"};
  constexpr std::string_view kEnds[] = {"\n", "\n", "\n", "\r\n", " ", "\n\n"};
  std::string text;
  for (std::size_t lines = 1 + random() % 6; lines > 0; --lines) {
    text += OneOf(kBegins, random);
    text += OneOf(kKeys, random);
    text += OneOf(kValues, random);
    text += OneOf(kEnds, random);
  }
  return text;
}

// Demands that nothing is wrong before the flaw, and that a token begins there.
void ExpectToken(const std::string& text, const YamlFlaw& flaw) {
  const Verdict before = Ask(text.substr(0, flaw.offset) + "@");
  EXPECT_EQ(before.error, YAML::ErrorMsg::UNKNOWN_TOKEN) << text << "\n" << flaw.offset;
  EXPECT_EQ(before.offset, flaw.offset) << text;
}

// A quote that is open at the end is an error to yaml-cpp only where the last line is not ended, so a last word is
// added. A text that yaml-cpp refuses for another reason has a flaw behind that place, or a quote that runs on to it.
TEST(YamlFlaw, FindsTheTokensThatYamlCppFinds) {
  std::mt19937 random(1);
  std::size_t quotes = 0, good = 0;
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
    const std::string text = RandomYaml(random) + "x";
    const Verdict verdict = Ask(text);
    const std::optional<YamlFlaw> flaw = FindYamlFlaw(text);
    if (verdict.error.empty()) {
      ++good;
      EXPECT_FALSE(flaw) << text;
    } else if (verdict.error == YAML::ErrorMsg::EOF_IN_SCALAR || verdict.error == YAML::ErrorMsg::DOC_IN_SCALAR) {
      ++quotes;
      ASSERT_TRUE(flaw) << text;
      ExpectToken(text, *flaw);
    } else if (flaw && flaw->offset < verdict.offset) {
      ExpectToken(text, *flaw);
    }
  }
  EXPECT_GT(good, 1000U);
  EXPECT_GT(quotes, 1000U);
}

}  // namespace
}  // namespace xdscope::format
