#include "lib/config/metadata.h"

#include <gtest/gtest.h>

namespace xdscope::config {
namespace {

using Encode = absl::StatusOr<std::string>(std::string_view, std::string_view, wire::Types&);

// The bytes, or the error.
std::string Encoded(Encode* encode, std::string_view text) {
  const schema::Schema schema = schema::Schema::Builtin();
  wire::Types types(schema);
  const absl::StatusOr<std::string> bytes = encode(text, "--metadata x", types);
  return bytes.ok() ? *bytes : std::string(base::Message(bytes.status()));
}

TEST(Metadata, TextIsTakenAsItIs) {
  EXPECT_EQ(Encoded(EncodeMetadataText, "1e5"),
            "\x1a\x03"
            "1e5");
  EXPECT_EQ(Encoded(EncodeMetadataText, ""), std::string("\x1a\0", 2));
  EXPECT_EQ(Encoded(EncodeMetadataText, "\xff"), "--metadata x:1: invalid UTF-8");
}

TEST(Metadata, JsonHasEveryKindOfValue) {
  EXPECT_EQ(Encoded(EncodeMetadataJson, "null"), std::string("\x08\0", 2));
  EXPECT_EQ(Encoded(EncodeMetadataJson, "true"), std::string("\x20\x01"));
  EXPECT_EQ(Encoded(EncodeMetadataJson, "1.5"), std::string("\x11\0\0\0\0\0\0\xf8\x3f", 9));
  EXPECT_EQ(Encoded(EncodeMetadataJson, "\"a\""),
            "\x1a\x01"
            "a");
  EXPECT_EQ(Encoded(EncodeMetadataJson, "[null]"), std::string("\x32\x04\x0a\x02\x08\0", 6));
  EXPECT_EQ(Encoded(EncodeMetadataJson, R"({"k": null})"), std::string("\x2a\x09\x0a\x07\x0a\x01k\x12\x02\x08\0", 11));
}

TEST(Metadata, ANumberThatNoDoubleHoldsIsAnError) {
  EXPECT_EQ(Encoded(EncodeMetadataJson, "1e999"), "--metadata x:1: number out of range");
  EXPECT_EQ(Encoded(EncodeMetadataJson, "-1e999"), "--metadata x:1: number out of range");
  EXPECT_EQ(Encoded(EncodeMetadataJson, "[1,\n{\"a\": 1e999}]"), "--metadata x:2: [1][\"a\"]: number out of range");
  EXPECT_EQ(Encoded(EncodeMetadataJson, "1.7976931348623157e308").size(), 9U) << "the largest double";
  EXPECT_EQ(Encoded(EncodeMetadataJson, "1e-999"), Encoded(EncodeMetadataJson, "0")) << "too small is zero, as ever";
}

TEST(Metadata, OfEqualKeysTheLastCounts) {
  EXPECT_EQ(Encoded(EncodeMetadataJson, R"({"a": 1, "a": null})"), Encoded(EncodeMetadataJson, R"({"a": null})"));
}

TEST(Metadata, IsJsonByTheLetter) {
  for (const char* bad : {"", "{a: 1}", "[1,]", "'a'", "1 2", "nope"}) {
    EXPECT_EQ(Encoded(EncodeMetadataJson, bad).rfind("--metadata x:1: ", 0), 0U) << bad;
  }
}

}  // namespace
}  // namespace xdscope::config
