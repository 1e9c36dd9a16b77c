#include "lib/format/text_reader.h"

#include <gtest/gtest.h>

#include "tests/unit/format/read_trees.h"

namespace xdscope::format {
namespace {

TreesRead ReadAll(std::string_view text) {
  return ReadTrees<TextReader>(text);
}

std::string TreeOf(std::string_view text) {
  return WithoutAWord(ReadAll(text), text);
}

TEST(TextReader, ReadsFieldsOfEveryForm) {
  EXPECT_EQ(TreeOf("a: 1 b { c: \"x\" } d < e: true > f: { g: -1 } h: <>\n"),
            R"({a: 1, b: {c: "x"}, d: {e: <true>}, f: {g: -1}, h: {}})");
  EXPECT_EQ(TreeOf("a: 1, b: 2; c { d: 3; }, e: 4"), "{a: 1, b: 2, c: {d: 3}, e: 4}");
  EXPECT_EQ(TreeOf("# x\na # y\n: # z\n1 # \"\n"), "{a: 1}");
}

TEST(TextReader, ReadsListsAndRepeatedFields) {
  EXPECT_EQ(TreeOf("a: [1, 2] a: 3 b [{c: 1}, {}] d: []"), "{a: [1, 2], a: 3, b: [{c: 1}, {}], d: []}");
}

TEST(TextReader, ReadsNumbersAndWords) {
  EXPECT_EQ(TreeOf("a: 0x1F b: 017 c: 1.5e-3 d: .5 e: 5. f: 1.5f g: - 3 h: -inf i: nan j: ENUM_1 k: 0"),
            "{a: 0x1F, b: 017, c: 1.5e-3, d: .5, e: 5., f: 1.5f, g: -3, h: <-inf>, i: <nan>, j: <ENUM_1>, k: 0}");
}

TEST(TextReader, PutsTextTogether) {
  EXPECT_EQ(TreeOf("a: \"x\" 'y'\n  \"z\""), "{a: \"xyz\"}");
  EXPECT_EQ(TreeOf(R"(a: "\n\t\\\'\"\?\101\x41\u00e9\U0001F600\ud83d\ude00" b: 'a"b')"),
            "{a: \"\n\t\\'\"?AA\xC3\xA9\xF0\x9F\x98\x80\xF0\x9F\x98\x80\", b: \"a\"b\"}");
  EXPECT_EQ(TreeOf("a: \"\\377\\0\""), std::string("{a: \"\xFF\0\"}", 9));
}

TEST(TextReader, ReadsExpandedAnys) {
  EXPECT_EQ(TreeOf("a { [type.googleapis.com/x.Y] { b: 1 } } c { [ t / x . Z ]: < > }"),
            "{a: {[type.googleapis.com/x.Y]: {b: 1}}, c: {[t/x.Z]: {}}}");
}

TEST(TextReader, ACommentThatNamesTheMessageBeginsANewOne) {
  EXPECT_EQ(TreeOf("# proto-message: a.B\nx: 1\n\n# proto-message: a.B\ny: 2\n"), "{x: 1}\n{y: 2}");
  EXPECT_EQ(TreeOf("x: 'a'\n\n# proto-message: a.B\ny: 'b' 'c'\n# proto-message: a.B\ny: 'd'\n"),
            "{x: \"a\"}\n{y: \"bc\"}\n{y: \"d\"}");
  EXPECT_EQ(TreeOf("x {\n# proto-message: a.B\ny: 2 }\n"), "{x: {y: 2}}");
}

TEST(TextReader, AnExpandedAnyAtTheTopIsAMessageOfItsOwn) {
  EXPECT_EQ(TreeOf("[t/a.B] { x: 1 }\n\n[t/a.C] { y: 2 }\n"), "{[t/a.B]: {x: 1}}\n{[t/a.C]: {y: 2}}");
}

TEST(TextReader, AnEmptyTextIsAMessage) {
  EXPECT_EQ(TreeOf(""), "{}");
  EXPECT_EQ(TreeOf("# x"), "{}");
}

TEST(TextReader, RefusesWhatProtobufRefuses) {
  for (const char* text : {"a",
                           "a:",
                           "a 1",
                           "a {",
                           "a { b: 1 >",
                           "a < b: 1 }",
                           "}",
                           "a: 1 }",
                           "1: 2",
                           ": 1",
                           "a: 1x",
                           "a: 1.2.3",
                           "a: 08",
                           "a: 0x",
                           "a: 1e",
                           "a: \"x",
                           "a: \"x\ny\"",
                           "a: \"\\q\"",
                           "a: \"\\x\"",
                           "a: \"\\u12\"",
                           "a: \"\\ud800\"",
                           "a: \"\\U00110000\"",
                           "a: [1",
                           "a: [1,]",
                           "a: [,]",
                           "a: [[1]]",
                           "[a: 1",
                           "a: @",
                           "a: -",
                           "a: --1",
                           "a: \"x\" + \"y\"",
                           "a: .",
                           "a: 1,,"}) {
    EXPECT_EQ(ReadAll(text).trees, "error") << text;
  }
}

TEST(TextReader, KnowsWhereThingsAreInsideAnAnyToo) {
  const std::string_view text = "resources {\n  [t/a.B] {\n    name: \"x\"\n    sub { port: -  5 }\n  }\n}\n";
  encode::Findings findings;
  TextReader reader(text, &findings);
  encode::Tree tree;
  ASSERT_TRUE(reader.Next(&tree));
  const encode::Node any = tree.root().Find("resources");
  encode::Children opened(any);
  ASSERT_TRUE(opened.Next());
  EXPECT_EQ(text.substr(opened.offset(), 7), "[t/a.B]");
  EXPECT_EQ(text.substr(opened.value().Find("name").offset(), 3), "\"x\"");
  EXPECT_EQ(text.substr(opened.value().Find("sub").Find("port").offset(), 4), "-  5");
}

TEST(TextReader, RefusesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "a{";
  EXPECT_EQ(ReadAll(deep).said, "199 nested too deeply; ");
}

}  // namespace
}  // namespace xdscope::format
