#include "lib/base/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace xdscope::base {
namespace {

using ::testing::ElementsAre;
using ::testing::TestWithParam;
using ::testing::ValuesIn;
using namespace std::string_literals;  // NOLINT: "…"s texts with zero bytes are what this file is about

// ---- Varints.

struct VarintCase {
  const char* name;
  std::string bytes;
  std::uint64_t value;
};

class Varint : public TestWithParam<VarintCase> {};

TEST_P(Varint, IsReadToItsEndAndNotBeyond) {
  const std::string bytes = GetParam().bytes + "\x7f";
  std::uint64_t value = 42;
  const char* end = ReadVarint(bytes.data(), bytes.data() + bytes.size(), &value);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(value, GetParam().value);
  EXPECT_EQ(end - bytes.data(), static_cast<std::ptrdiff_t>(bytes.size() - 1));
}

TEST_P(Varint, ThatIsCutOffIsNone) {
  const std::string& bytes = GetParam().bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::uint64_t value = 0;
    EXPECT_EQ(ReadVarint(bytes.data(), bytes.data() + size, &value), nullptr) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, Varint,
                         ValuesIn(std::vector<VarintCase>{
                             {"Zero", "\0"s, 0},
                             {"LargestOfOneByte", "\x7f", 127},
                             {"SmallestOfTwoBytes", "\x80\x01", 128},
                             {"TwoBytes", "\xac\x02", 300},
                             {"OverlongZero", "\x80\x80\0"s, 0},
                             {"FiveBytes", "\xff\xff\xff\xff\x0f", 0xffffffff},
                             {"Largest", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                              std::numeric_limits<std::uint64_t>::max()},
                             {"BitsAbove64AreDropped", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e", 0},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(Varint, OfElevenBytesIsNone) {
  const std::string bytes = std::string(10, '\x80') + "\x01";
  std::uint64_t value = 0;
  EXPECT_EQ(ReadVarint(bytes.data(), bytes.data() + bytes.size(), &value), nullptr);
}

TEST(Varint, WhatIsWrittenIsReadBack) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t value : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1}) {
      std::string bytes;
      AppendVarint(&bytes, value);
      std::uint64_t read = ~value;
      EXPECT_EQ(ReadVarint(bytes.data(), bytes.data() + bytes.size(), &read), bytes.data() + bytes.size());
      EXPECT_EQ(read, value);
    }
  }
}

// ---- Fields.

TEST(FieldReader, AnEmptyMessageHasNoFieldsAndIsFine) {
  FieldReader fields("");
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(FieldReader, ShowsEachKindOfField) {
  const std::string message =
      "\x08\x96\x01"              // 1: varint 150
      "\x11\x01\0\0\0\0\0\0\x80"  // 2: fixed64
      "\x1a\x03xyz"               // 3: bytes
      "\x25\x04\x03\x02\x01"s;    // 4: fixed32
  FieldReader fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(std::tuple(fields.number(), fields.type(), fields.value()), std::tuple(1U, WireType::kVarint, 150U));
  EXPECT_EQ(fields.raw(), "\x08\x96\x01");
  EXPECT_EQ(fields.bytes(), "");
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(std::tuple(fields.number(), fields.type(), fields.value()),
            std::tuple(2U, WireType::kFixed64, 0x8000000000000001U));
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(std::tuple(fields.number(), fields.type(), fields.bytes()), std::tuple(3U, WireType::kBytes, "xyz"));
  EXPECT_EQ(fields.value(), 0U);
  EXPECT_EQ(fields.offset(), 12U);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(std::tuple(fields.number(), fields.type(), fields.value()),
            std::tuple(4U, WireType::kFixed32, 0x01020304U));
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(FieldReader, IsOnlyTakesBytesOfThatNumber) {
  FieldReader fields("\x0a\x01x\x08\x05");
  std::string_view bytes = "before";
  ASSERT_TRUE(fields.Next());
  EXPECT_FALSE(fields.Is(2, &bytes));
  EXPECT_EQ(bytes, "before");
  EXPECT_TRUE(fields.Is(1, &bytes));
  EXPECT_EQ(bytes, "x");
  ASSERT_TRUE(fields.Next());
  EXPECT_FALSE(fields.Is(1, &bytes));  // a varint
}

TEST(FieldReader, TheLargestFieldNumberIsTaken) {
  std::string message;
  AppendTag(&message, (1U << 29) - 1, WireType::kVarint);
  message += '\x01';
  FieldReader fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.number(), (1U << 29) - 1);
}

TEST(FieldReader, AGroupIsOneFieldWithWhatIsInside) {
  const std::string inner = "\x08\x01\x12\x02zz";
  const std::string message = "\x0b" + inner + "\x0c\x10\x07";
  FieldReader fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(std::tuple(fields.number(), fields.type()), std::tuple(1U, WireType::kStartGroup));
  EXPECT_EQ(fields.bytes(), inner);
  EXPECT_EQ(fields.raw(), "\x0b" + inner + "\x0c");
  EXPECT_EQ(fields.value(), 0U);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.value(), 7U);
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(FieldReader, GroupsNestAsDeepAsProtobufLetsThem) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '\x0b') + std::string(depth, '\x0c'); };
  const std::string deepest = nested(FieldReader::kMaxGroupDepth);
  FieldReader fields(deepest);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.raw(), deepest);
  const std::string deeper = nested(FieldReader::kMaxGroupDepth + 1);
  FieldReader too_deep(deeper);
  EXPECT_FALSE(too_deep.Next());
  EXPECT_FALSE(too_deep.ok());
}

struct Malformed {
  const char* name;
  std::string bytes;
};

class MalformedField : public TestWithParam<Malformed> {};

TEST_P(MalformedField, EndsTheMessageForGood) {
  const std::string message = "\x08\x01" + GetParam().bytes;
  FieldReader fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_FALSE(fields.Next());
  EXPECT_FALSE(fields.ok());
  EXPECT_EQ(fields.offset(), 2U);
  EXPECT_FALSE(fields.Next());
  EXPECT_FALSE(fields.ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, MalformedField,
                         ValuesIn(std::vector<Malformed>{
                             {"TagCutOff", "\x88"},
                             {"NumberZero", "\0\x01"s},
                             {"NumberTooLarge", "\x80\x80\x80\x80\x10\x01"},
                             {"ReservedType6", "\x0e\x01"},
                             {"ReservedType7", "\x0f\x01"},
                             {"VarintMissing", "\x08"},
                             {"VarintCutOff", "\x08\x80"},
                             {"VarintOverlong", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
                             {"Fixed32CutOff", "\x0d\x01\x02\x03"},
                             {"Fixed64CutOff", "\x09\x01\x02\x03\x04\x05\x06\x07"},
                             {"LengthMissing", "\x0a"},
                             {"LengthBeyondTheEnd", "\x0a\x03xy"},
                             {"LengthOfTwoGigabytes", "\x0a\x80\x80\x80\x80\x08xy"},
                             {"LengthThatWouldWrapAround", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xy"},
                             {"GroupEndsWithoutBeginning", "\x0c"},
                             {"GroupWithoutEnd", "\x0b\x08\x01"},
                             {"GroupEndsWithAnotherNumber", "\x0b\x14"},
                             {"GroupInGroupCrossed", "\x0b\x13\x0c\x14"},
                             {"GroupWithABadField", "\x0b\x0f\x01\x0c"},
                             {"GroupWithNumberZero", "\x0b\0\x01\x0c"s},
                             {"GroupWithANumberTooLarge", "\x0b\x80\x80\x80\x80\x10\x01\x0c"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(FieldReader, EveryPrefixOfAMessageIsReadWithoutHarm) {
  const std::string message = "\x08\x96\x01\x0b\x12\x02zz\x0c\x1a\x03xyz\x25\x04\x03\x02\x01"s;
  for (std::size_t size = 0; size < message.size(); ++size) {
    const std::string prefix = message.substr(0, size);  // its own memory: a read beyond it shows under asan
    FieldReader fields(prefix);
    std::size_t read = 0;
    while (fields.Next()) read += fields.raw().size();
    EXPECT_EQ(read == size, fields.ok()) << size;
  }
}

TEST(FindBytes, TheLastOneOfSeveralCounts) {
  EXPECT_EQ(FindBytes("\x0a\x01x\x12\x01y\x0a\x01z", 1), "z");
  EXPECT_EQ(FindBytes("\x0a\x01x", 2), std::nullopt);
  EXPECT_EQ(FindBytes("\x08\x01", 1), std::nullopt);
  EXPECT_EQ(FindBytes("\x0a\0"s, 1), "");
}

TEST(Writers, WhatIsWrittenIsReadBack) {
  std::string message;
  AppendBytes(&message, 1000, std::string(300, 'x'));
  AppendTag(&message, 2, WireType::kVarint);
  AppendVarint(&message, 7);
  FieldReader fields(message);
  std::string_view bytes;
  ASSERT_TRUE(fields.Next());
  EXPECT_TRUE(fields.Is(1000, &bytes));
  EXPECT_EQ(bytes, std::string(300, 'x'));
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.value(), 7U);
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(FixedWidth, IsLittleEndianAndNeedsNoAlignment) {
  const char bytes[] = "\xff\x01\x02\x03\x04\x05\x06\x07\x08";
  EXPECT_EQ(LoadFixed32(bytes + 1), 0x04030201U);
  EXPECT_EQ(LoadFixed64(bytes + 1), 0x0807060504030201U);
}

// ---- UTF-8 (Unicode 15, table 3-7).

struct Text {
  const char* name;
  std::string bytes;
};

class GoodUtf8 : public TestWithParam<Text> {};
class BadUtf8 : public TestWithParam<Text> {};

// At every place of a text: the first eight bytes of which are ASCII are looked at together.
std::vector<std::string> Placed(const std::string& bytes) {
  std::vector<std::string> texts;
  for (std::size_t before = 0; before < 10; ++before) texts.push_back(std::string(before, 'a') + bytes + "b");
  texts.push_back(std::string(16, 'a') + bytes);
  texts.push_back(bytes + std::string(16, 'b'));
  return texts;
}

TEST_P(GoodUtf8, IsTakenAnywhere) {
  for (const std::string& text : Placed(GetParam().bytes)) EXPECT_TRUE(IsUtf8(text));
}

TEST_P(GoodUtf8, CutShortIsBad) {
  const std::string& bytes = GetParam().bytes;
  for (std::size_t size = 1; size < bytes.size(); ++size) EXPECT_FALSE(IsUtf8(bytes.substr(0, size))) << size;
}

TEST_P(BadUtf8, IsRefusedAnywhere) {
  for (const std::string& text : Placed(GetParam().bytes)) EXPECT_FALSE(IsUtf8(text));
}

INSTANTIATE_TEST_SUITE_P(Table, GoodUtf8,
                         ValuesIn(std::vector<Text>{{"Nul", "\0"s},
                                                    {"LastOfOneByte", "\x7f"},
                                                    {"FirstOfTwo", "\xc2\x80"},
                                                    {"LastOfTwo", "\xdf\xbf"},
                                                    {"FirstOfThree", "\xe0\xa0\x80"},
                                                    {"LastBeforeSurrogates", "\xed\x9f\xbf"},
                                                    {"FirstAfterSurrogates", "\xee\x80\x80"},
                                                    {"LastOfThree", "\xef\xbf\xbf"},
                                                    {"FirstOfFour", "\xf0\x90\x80\x80"},
                                                    {"LastOfAll", "\xf4\x8f\xbf\xbf"}}),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Table, BadUtf8,
                         ValuesIn(std::vector<Text>{{"LoneContinuation", "\x80"},
                                                    {"LoneLastContinuation", "\xbf"},
                                                    {"OverlongC0", "\xc0\x80"},
                                                    {"OverlongC1", "\xc1\xbf"},
                                                    {"TwoWithoutContinuation", "\xc2\x41"},
                                                    {"TwoWithALead", "\xc2\xc2"},
                                                    {"OverlongThree", "\xe0\x9f\xbf"},
                                                    {"ThreeBadSecond", "\xe1\x41\x80"},
                                                    {"ThreeBadThird", "\xe1\x80\x41"},
                                                    {"FirstSurrogate", "\xed\xa0\x80"},
                                                    {"LastSurrogate", "\xed\xbf\xbf"},
                                                    {"OverlongFour", "\xf0\x8f\xbf\xbf"},
                                                    {"FourBadThird", "\xf1\x80\x41\x80"},
                                                    {"FourBadFourth", "\xf1\x80\x80\x41"},
                                                    {"AboveTheLast", "\xf4\x90\x80\x80"},
                                                    {"F5", "\xf5\x80\x80\x80"},
                                                    {"FE", "\xfe"},
                                                    {"FF", "\xff"}}),
                         [](const auto& test) { return test.param.name; });

TEST(Utf8, AnEmptyTextIsGood) {
  EXPECT_TRUE(IsUtf8(""));
}

}  // namespace
}  // namespace xdscope::base
