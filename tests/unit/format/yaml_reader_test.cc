#include "lib/format/yaml_reader.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <random>

#include "tests/unit/format/read_trees.h"

namespace xdscope::format {
namespace {

TreesRead ReadAll(std::string_view text) {
  return ReadTrees<YamlReader>(text);
}

std::string TreeOf(std::string_view text) {
  return WithoutAWord(ReadAll(text), text);
}

TEST(YamlReader, ReadsBlocksAndFlows) {
  EXPECT_EQ(TreeOf("a: 1\nb:\n- x\n- {c: d, e: [f]}\n-\n  - g\n"), R"({a: 1, b: ["x", {c: "d", e: ["f"]}, ["g"]]})");
  EXPECT_EQ(TreeOf("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), "{a: \"x\ny\n\", b: \"x y\"}");
}

TEST(YamlReader, TypesPlainScalarsAsEnvoyDoes) {
  EXPECT_EQ(TreeOf("[yes, No, ON, off, true, y, N, yEs]"), "[true, false, true, false, true, true, false, \"yEs\"]");
  EXPECT_EQ(TreeOf("[1, -2, +3, 0x1F, 1.10, 1e3, 1.10.2, 0o17, 8_080, 1:30, .inf, 08, 0x]"),
            R"([1, -2, 3, 31, "1.10", "1e3", "1.10.2", "0o17", "8_080", "1:30", ".inf", "08", "0x"])");
  EXPECT_EQ(TreeOf("[~, null, Null, NULL, '']"), "[null, null, null, null, \"\"]");
  EXPECT_EQ(TreeOf("['yes', \"1\", '~']"), R"(["yes", "1", "~"])");
  EXPECT_EQ(TreeOf("[2147483647, 2147483648, -2147483648, -2147483649, 9223372036854775808]"),
            R"([2147483647, "2147483648", -2147483648, "-2147483649", "9223372036854775808"])");
  EXPECT_EQ(TreeOf("[!!str 8080, !own 1, !!float 1]"), "[8080, 1, 1]");  // tags are not heard
}

TEST(YamlReader, AnOctalNumberGetsAWord) {
  const TreesRead result = ReadAll("[00, 010, 0, 07]");
  EXPECT_EQ(result.trees, "[0, 8, 0, 7]");
  EXPECT_EQ(result.said, "5 010 is an octal number: 8; ");
}

// Envoy asks yaml-cpp's converters, one after the other.
TEST(YamlReader, TypesScalarsAsYamlCppConverts) {
  constexpr std::string_view kPieces[] = {"y",    "Y", "yes", "YES", "Yes", "n", "no", "on", "off", "true",
                                          "TRUE", "0", "1",   "7",   "8",   "9", "x",  "X",  "0x",  "-",
                                          "+",    ".", "e",   "f",   "F",   "a", "_",  "o",  " "};
  std::mt19937 random(3);
  for (int round = 0; round < 100'000; ++round) {
    std::string text;
    for (auto n = random() % 5; n < 5; ++n) text += kPieces[random() % std::size(kPieces)];
    if (round % 100 == 0) text = std::to_string(random() * std::uint64_t{4'000'000'000});
    if (text.front() == ' ' || text.back() == ' ') continue;  // a plain scalar has none there
    const YAML::Node node(text);
    PlainScalar wanted{encode::NodeKind::kText, text};
    bool flag = false;
    std::int64_t number = 0;
    if (YAML::convert<bool>::decode(node, flag)) {
      wanted = {encode::NodeKind::kBool, flag ? "true" : "false"};
    } else if (YAML::convert<std::int64_t>::decode(node, number)) {
      const bool small = number >= INT32_MIN && number <= INT32_MAX;
      wanted = {small ? encode::NodeKind::kNumber : encode::NodeKind::kText, std::to_string(number)};
    }
    const PlainScalar found = TypePlainScalar(text);
    ASSERT_EQ(found.kind, wanted.kind) << text;
    ASSERT_EQ(found.text, wanted.text) << text;
  }
}

TEST(YamlReader, KeepsKeysAsTheyAreWrittenAndRepeatedOnes) {
  EXPECT_EQ(TreeOf("yes: 1\n010: 2\n'a b': 3\nyes: 4\n~: 5\n"), "{yes: 1, 010: 2, a b: 3, yes: 4, null: 5}");
}

TEST(YamlReader, ExpandsAliases) {
  EXPECT_EQ(TreeOf("a: &x {b: [1]}\nc: *x\nd: [*x]\ne: &t 1s\nf: *t\n"),
            R"({a: {b: [1]}, c: {b: [1]}, d: [{b: [1]}], e: "1s", f: "1s"})");
  EXPECT_EQ(TreeOf("&k key: 1\nb: *k\n"), "{key: 1, b: \"key\"}");
  EXPECT_EQ(TreeOf("a: &k x\n*k : 1\n"), "{a: \"x\", x: 1}");
}

TEST(YamlReader, LeavesMergeKeysAsTheyAre) {
  EXPECT_EQ(TreeOf("a: &x {b: 1}\nc: {<<: *x}\n"), "{a: {b: 1}, c: {<<: {b: 1}}}");
}

TEST(YamlReader, AMemberTaggedIgnoreIsThereForItsAnchorsAlone) {
  EXPECT_EQ(TreeOf("!ignore hidden: &x {a: &y 1}\nb: *x\nc: *y\n"), "{b: {a: 1}, c: 1}");
}

TEST(YamlReader, ReadsOneDocumentAfterAnother) {
  EXPECT_EQ(TreeOf("a: 1\n---\nb: 2\n---\n- c\n...\n"), "{a: 1}\n{b: 2}\n[\"c\"]");
  EXPECT_EQ(TreeOf(""), "");
  EXPECT_EQ(TreeOf("# nothing\n"), "");
  EXPECT_EQ(ReadAll("&a x\n---\n*a\n").trees, "\"x\"error") << "anchors end with their document";
}

TEST(YamlReader, KnowsWhereValuesAndKeysBegin) {
  const std::string_view text = "\xEF\xBB\xBF# \xC3\xA9\r\na: \"x\"\r\nbc:\r\n- d: |\r\n    e\r\n  f: [g]\r\n";
  encode::Findings findings;
  YamlReader reader(text, &findings);
  encode::Tree tree;
  ASSERT_TRUE(reader.Next(&tree));
  const encode::Node list = tree.root().Find("bc");
  EXPECT_EQ(text.substr(tree.root().Find("a").offset(), 3), "\"x\"");
  encode::Children element(list);
  ASSERT_TRUE(element.Next());
  EXPECT_EQ(text.substr(element.offset(), 4), "d: |");
  const encode::Node f = element.value().Find("f");
  EXPECT_EQ(text.substr(f.offset(), 3), "[g]");
}

TEST(YamlReader, SaysWhatIsWrongWhere) {
  EXPECT_EQ(ReadAll("a: 1\nb: c: d\n").said, "9 illegal map value: a value that has \": \" in it is quoted; ");
  EXPECT_EQ(ReadAll("- @type: x\n").said, "2 unknown token: quote it: \"@type\"; ");
  EXPECT_EQ(ReadAll("a:\n  name b\n  c: d\n").said,
            "15 illegal map value: is a colon missing after \"name\" in the line above?; ");
  EXPECT_EQ(ReadAll("a: 1\nb: {c: {d: e}\nf: 1\n").said,
            "19 end of map flow not found: the { of line 2 is not closed; ");
  EXPECT_EQ(ReadAll("a: [\n- b\n").said, "5 illegal block entry: the [ of line 1 is not closed; ");
  EXPECT_EQ(ReadAll("a:\n\tb: 1\n").said, "5 illegal map value: YAML indents by blanks alone; ");
  EXPECT_EQ(ReadAll("a: *web\n").said.substr(0, 1), "3");
  EXPECT_EQ(ReadAll("? [a]\n: b\n").said, "2 a map key must be a scalar; ");
  EXPECT_EQ(ReadAll("a: &x [*x]\n").said, "7 alias refers to itself; ");
  EXPECT_EQ(ReadAll("a: 1\n---\nb: [\n").trees, "{a: 1}error");
  EXPECT_EQ(ReadAll(",").said, "0 unexpected token; ");
}

TEST(YamlReader, RepairsWhatIsNotUtf8) {
  const TreesRead result = ReadAll("a: b\xFF\n");
  EXPECT_EQ(result.trees, "{a: \"b\xEF\xBF\xBD\"}");
  EXPECT_EQ(result.said, "3 invalid UTF-8; ");
}

TEST(YamlReader, AnUnterminatedQuoteIsAnErrorWhereItOpens) {
  EXPECT_EQ(ReadAll("a: 1\nname: \"web\nb: 2\n").said, "11 unterminated quote; ");
  EXPECT_EQ(ReadAll("a: 1\nname: 'web\nb: 2\n").said, "11 unterminated quote; ");
  EXPECT_EQ(ReadAll("[\"a]\n").said, "1 unterminated quote; ");
  EXPECT_EQ(ReadAll("a: 1\n---\nb: 'c\n").trees, "{a: 1}error");
}

TEST(YamlReader, WhatIsWrongFirstIsSaid) {
  EXPECT_EQ(ReadAll("a: b: c\nd: 'e\n").said, "4 illegal map value: a value that has \": \" in it is quoted; ");
  EXPECT_EQ(ReadAll("- 'e\n  a: b: c\n").said, "2 unterminated quote; ");
}

// Lists of ten of the one before, from a list of ten texts.
std::string Bomb(int generations) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < generations; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + std::to_string(i - 1) + (j < 9 ? ", " : "]\n");
  }
  return bomb;
}

TEST(YamlReader, CapsWhatAliasesStandFor) {
  EXPECT_EQ(ReadAll(Bomb(5)).said, "");
  EXPECT_NE(ReadAll(Bomb(9)).said.find("aliases stand for more than 64 MB"), std::string::npos);
}

TEST(YamlReader, CountsTheTextThatAliasesStandFor) {
  std::string text = "a: &a " + std::string(1 << 20, 'x') + "\nb:\n";
  for (int i = 0; i < 60; ++i) text += "- *a\n";
  EXPECT_EQ(ReadAll(text).said, "");
  for (int i = 0; i < 10; ++i) text += "- *a\n";
  EXPECT_NE(ReadAll(text).said.find("aliases stand for more than 64 MB"), std::string::npos);
  EXPECT_NE(ReadAll(text + "*a : b\n").said.find("aliases stand for more than 64 MB"), std::string::npos);
}

TEST(YamlReader, RefusesDeepNestingThroughAliasesToo) {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "- ";
  EXPECT_NE(ReadAll(deep + "x").said.find("too deeply"), std::string::npos);
  EXPECT_NE(ReadAll(std::string(100'000, '[')).said, "");
  const std::string half = std::string(60, '[') + "x" + std::string(60, ']');
  EXPECT_EQ(ReadAll("a: &x " + half + "\nb: *x\n").said, "");
  EXPECT_NE(ReadAll("a: &x " + half + "\nb: " + std::string(60, '[') + "*x" + std::string(60, ']') + "\n")
                .said.find("too deeply"),
            std::string::npos);
}

}  // namespace
}  // namespace xdscope::format
