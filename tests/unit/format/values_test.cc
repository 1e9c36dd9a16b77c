#include <absl/strings/escaping.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "lib/format/text.h"
#include "tests/unit/format/fixture.h"

namespace xdscope::format {
namespace {

std::string JsonString(std::string_view text) {
  return Collect([&](Output& out) { AppendJsonString(out, text); });
}

std::string Read(const std::string& json) {
  rapidjson::Document document;
  EXPECT_FALSE(document.Parse(json.c_str(), json.size()).HasParseError()) << json;
  return document.IsString() ? std::string(document.GetString(), document.GetStringLength()) : "no string";
}

TEST(JsonString, EscapesWhatMustBeAndNothingElse) {
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a\"b\\c\n\r\t\b\f\x01\x1f/é"), "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f/é\"");
  EXPECT_EQ(JsonString(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonString, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(JsonString("a\x7f\xC2\x9B[31m\xC2\xA0"), "\"a\\u007f\\u009b[31m\xC2\xA0\"");
  for (std::size_t before = 0; before < 1100; ++before) {
    const std::string text = std::string(before, 'x') + "\xC2\x9B" + "y";
    const std::string json = JsonString(text);
    ASSERT_EQ(json.find('\x9B'), std::string::npos) << before;
    ASSERT_EQ(Read(json), text);
  }
}

TEST(JsonString, EveryByteAtEveryPlaceIsReadBack) {
  for (int c = 0; c < 128; ++c) {
    for (std::size_t length = 1; length < 20; ++length) {
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(c);
        ASSERT_EQ(Read(JsonString(text)), text);
      }
    }
  }
}

TEST(JsonString, LongTextsAreReadBack) {
  for (const std::size_t size : {1023UL, 1024UL, 1025UL, 100'000UL}) {
    for (const char* piece : {"x", "\"", "\x01", "é"}) {
      std::string text;
      while (text.size() < size) text += piece;
      ASSERT_EQ(Read(JsonString(text)), text);
    }
  }
}

TEST(Base64, IsAbseils) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 5000; size = size < 20 ? size + 1 : size * 2 + 1) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    std::string expected;
    absl::Base64Escape(bytes, &expected);
    EXPECT_EQ(Base64Text(bytes), expected);
    EXPECT_EQ(Collect([&](Output& out) { AppendBase64(out, bytes); }), expected);
  }
}

TEST(Numbers, AreTheShortestThatReadBack) {
  EXPECT_EQ(RealText(0.1), "0.1");
  EXPECT_EQ(RealText(0.1F), "0.1");
  EXPECT_EQ(RealText(100000.0), "100000");
  EXPECT_EQ(RealText(1e15), "1e+15");
  EXPECT_EQ(RealText(-0.0), "-0");
  EXPECT_EQ(RealText(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(RealText(16777215.0F), "16777215");
}

TEST(Numbers, RandomOnesReadBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) {
      ASSERT_EQ(std::strtod(RealText(value).c_str(), nullptr), value);
    }
    const float small = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(small)) {
      ASSERT_EQ(std::strtof(RealText(small).c_str(), nullptr), small);
    }
  }
}

TEST(Times, HaveNoneThreeSixOrNineDigits) {
  EXPECT_EQ(DurationText(0, 0), "0s");
  EXPECT_EQ(DurationText(0, -1), "-0.000000001s");
  EXPECT_EQ(DurationText(1, 20'000'000), "1.020s");
  EXPECT_EQ(DurationText(1, 20'000), "1.000020s");
  EXPECT_EQ(TimestampText(1'700'000'000, 5), "2023-11-14T22:13:20.000000005Z");
}

TEST(Times, OutOfRangeHaveNoText) {
  EXPECT_EQ(DurationText(315'576'000'001, 0), std::nullopt);
  EXPECT_EQ(DurationText(0, 1'000'000'000), std::nullopt);
  EXPECT_EQ(DurationText(-1, 1), std::nullopt);
  EXPECT_EQ(DurationText(1, -1), std::nullopt);
  EXPECT_EQ(DurationText(std::numeric_limits<std::int64_t>::min(), 0), std::nullopt);
  EXPECT_EQ(TimestampText(-62'135'596'801, 0), std::nullopt);
  EXPECT_EQ(TimestampText(0, -1), std::nullopt);
}

TEST(Repaired, LeavesTextAloneAndReplacesEachBadByte) {
  std::string space;
  EXPECT_EQ(Repaired("aé中😀", space), "aé中😀");
  EXPECT_EQ(Repaired("a\xffé\xc3", space), "a\xEF\xBF\xBDé\xEF\xBF\xBD");
  EXPECT_EQ(Repaired("\xf0\x9f\x98", space), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace xdscope::format
