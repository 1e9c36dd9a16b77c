#include "lib/format/json_reader.h"

#include <gtest/gtest.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <random>

#include "tests/unit/format/read_trees.h"

namespace xdscope::format {
namespace {

// The text as one value.
TreesRead ReadAll(std::string_view text) {
  encode::Findings findings;
  JsonReader reader(text, &findings);
  encode::Tree tree;
  const bool ok = reader.Value(&tree) && reader.Peek() == 0 && reader.ok();
  return {ok ? TreeText(tree.root()) : "error", Said(findings)};
}

std::string TreeOf(std::string_view text) {
  return WithoutAWord(ReadAll(text), text);
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  EXPECT_EQ(TreeOf(R"( {"a": [1, -2.5e3, true, false, null, "x", {}, []], "": {"b": 0}} )"),
            R"({a: [1, -2.5e3, true, false, null, "x", {}, []], : {b: 0}})");
  EXPECT_EQ(TreeOf("7"), "7");
  EXPECT_EQ(TreeOf("\"a\""), "\"a\"");
}

TEST(JsonReader, ReadsEscapes) {
  EXPECT_EQ(TreeOf(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00x")"),
            "\"\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80x\"");
  EXPECT_EQ(TreeOf(R"({"a\tb": "\u0000"})"), std::string("{a\tb: \"\0\"}", 10));
}

TEST(JsonReader, KeepsKeysInOrderAndRepeatedOnes) {
  EXPECT_EQ(TreeOf(R"({"b": 1, "a": 2, "b": 3})"), "{b: 1, a: 2, b: 3}");
}

TEST(JsonReader, KnowsWhereValuesAndKeysBegin) {
  const std::string_view text = R"({"a": ["x\n", 12], "b" : {"c": true}})";
  encode::Findings findings;
  JsonReader reader(text, &findings);
  encode::Tree tree;
  ASSERT_TRUE(reader.Value(&tree));
  encode::Children member(tree.root());
  ASSERT_TRUE(member.Next());
  EXPECT_EQ(member.offset(), 1U);
  EXPECT_EQ(member.value().offset(), 6U);
  encode::Children element(member.value());
  ASSERT_TRUE(element.Next());
  EXPECT_EQ(element.value().offset(), 7U);
  ASSERT_TRUE(element.Next());
  EXPECT_EQ(element.value().offset(), 14U);
  ASSERT_TRUE(member.Next());
  EXPECT_EQ(member.offset(), 19U);
  EXPECT_EQ(member.value().offset(), 25U);
}

TEST(JsonReader, TakesWhatEnvoyTakesWithAWord) {
  const TreesRead result = ReadAll("{name: 'a\\'b', $x_1: [1, 2,], \"t\": \"a\tb\", other: 'c',}");
  EXPECT_EQ(result.trees, "{name: \"a'b\", $x_1: [1, 2], t: \"a\tb\", other: \"c\"}");
  EXPECT_EQ(result.said,
            "1 unquoted key; 7 single-quoted string; "
            "9 nonstandard JSON escape; 26 trailing comma; 37 control character in a string; ");
}

TEST(JsonReader, RefusesWhatEnvoyRefuses) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "[1",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{,}",
                           "[,]",
                           "{\"a\" 1}",
                           "[1 2]",
                           "{1: 2}",
                           "{-: 2}",
                           "nul",
                           "truex",
                           "yes",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "0x10",
                           "--1",
                           "\"",
                           "\"a",
                           "'a\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "// c\n1",
                           "/* c */ 1",
                           "1 1",
                           "{}{}",
                           "[1]]",
                           "{\"a\":1,,}",
                           "\xEF\xBB\xBF{}",
                           "NaN",
                           "\"\\"}) {
    EXPECT_EQ(ReadAll(text).trees, "error") << text;
  }
}

TEST(JsonReader, AZeroByteIsNoEnd) {
  using namespace std::string_view_literals;
  EXPECT_EQ(ReadAll("{}\0x"sv).said, "2 invalid control character; ");
  EXPECT_EQ(ReadAll("\0"sv).trees, "error");
}

TEST(JsonReader, SaysWhatItExpectedWhere) {
  EXPECT_EQ(ReadAll("{\"a\": 1 \"b\": 2}").said, "8 expected ',' or '}', not '\"'; ");
  EXPECT_EQ(ReadAll("{\"a\": ").said, "6 unexpected end of the text: expected a value; ");
  EXPECT_EQ(ReadAll("[\"abc").said, "1 unterminated string; ");
  EXPECT_EQ(ReadAll("[01]").said, "1 invalid JSON number; ");
  EXPECT_EQ(ReadAll("{\"a\": 1, // x").said, "9 expected a key in quotes, not '/'; ");
}

TEST(JsonReader, TextThatIsNotUtf8IsAnErrorAndReadingGoesOn) {
  const TreesRead result = ReadAll("[\"a\xFF\", \"b\"]");
  EXPECT_EQ(result.trees, "[\"a\xEF\xBF\xBD\", \"b\"]");
  EXPECT_EQ(result.said, "1 invalid UTF-8; ");
}

TEST(JsonReader, RefusesDeepNesting) {
  EXPECT_EQ(ReadAll(std::string(100, '[') + std::string(100, ']')).said, "");
  EXPECT_EQ(ReadAll(std::string(101, '[') + std::string(101, ']')).said, "100 nested too deeply; ");
  EXPECT_EQ(ReadAll(std::string(1'000'000, '[')).said, "100 nested too deeply; ");
}

TEST(JsonReader, ReadsAListStepByStep) {
  encode::Findings findings;
  JsonReader reader(R"({"a": [1, {"b": 2}], "c": []})", &findings);
  std::string seen;
  encode::Tree tree;
  for (JsonReader::Steps members(reader); members.Next(&tree);) {
    seen += std::string(members.key()) + ":";
    for (JsonReader::Steps elements(reader); elements.Next(&tree);) {
      tree.Clear();
      ASSERT_TRUE(reader.Value(&tree));
      seen += TreeText(tree.root()) + ";";
    }
  }
  EXPECT_EQ(seen, "a:1;{b: 2};c:");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.Peek(), 0);
}

// RapidJSON as the judge of what is JSON by the letter.
bool IsJson(const std::string& text) {
  struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {};
  Handler handler;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  return !reader.Parse<kFlags>(stream, handler).IsError();
}

TEST(JsonReader, IsSilentOnJsonByTheLetterAndOnNothingElse) {
  const std::string seeds[] = {
      R"({"a": [1, -2.5e3, true, false, null, "x\u00e9\n\"", {}, []], "b": {"c": 0.1}})",
      "[\"\xC3\xA9\xF0\x9F\x98\x80\", \"\\ud83d\\ude00\", 'x', {y: 1,},]",
  };
  constexpr std::string_view kBytes = "{}[]:,\"'\\ \n\t0123456789-+.eEtrufalsnx/\xC3\xA9\xFF\x01";
  std::mt19937 random(5);
  int silent = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = seeds[random() % 2];
    for (auto n = random() % 3; n < 3; ++n) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = kBytes[random() % kBytes.size()];
      } else if (random() % 2 == 0) {
        text.insert(at, 1, kBytes[random() % kBytes.size()]);
      } else {
        text.erase(at, 1 + random() % 3);
      }
      if (text.empty()) break;
    }
    const TreesRead result = ReadAll(text);
    const bool letter = result.trees != "error" && result.said.empty();
    ASSERT_EQ(letter, IsJson(text)) << text << "\n" << result.said;
    silent += letter ? 1 : 0;
  }
  EXPECT_GT(silent, 1000);
}

}  // namespace
}  // namespace xdscope::format
