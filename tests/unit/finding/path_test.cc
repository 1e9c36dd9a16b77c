#include "lib/finding/path.h"

#include <gtest/gtest.h>

namespace xdscope::finding {
namespace {

TEST(PathTest, FieldsIndexesAndKeysArePrintedAsInTheApi) {
  const Path path = Path().AddField("filter_chains").AddIndex(2).AddField("filter_metadata").AddKey("a.b");
  EXPECT_EQ(ToText(path), R"(filter_chains[2].filter_metadata["a.b"])");
}

TEST(PathTest, AnEmptyPathIsAnEmptyText) {
  EXPECT_EQ(ToText(Path()), "");
}

TEST(PathTest, APathMayBeginWithAnIndex) {
  EXPECT_EQ(ToText(Path().AddIndex(0).AddField("name")), "[0].name");
}

TEST(PathTest, AFieldNameThatIsNoIdentifierIsPrintedLikeAKey) {
  EXPECT_EQ(ToText(Path().AddField("a").AddField("b c")), R"(a["b c"])");
  EXPECT_EQ(ToText(Path().AddField("")), R"([""])");
}

TEST(PathTest, QuotesAndControlCharactersOfKeysAreEscaped) {
  EXPECT_EQ(ToText(Path().AddKey("a\"b\\c\n\x7F")), R"(["a\"b\\c\u000a\u007f"])");
}

TEST(PathTest, WhatStandsBelowIsAppended) {
  const Path below = Path().AddIndex(1).AddField("name");
  EXPECT_EQ(ToText(Path().AddField("resources").Append(below)), "resources[1].name");
}

}  // namespace
}  // namespace xdscope::finding
