#include "lib/format/printable.h"

#include <gtest/gtest.h>

namespace xdscope::format {
namespace {

TEST(Printable, WritesOutWhatSteersATerminal) {
  EXPECT_EQ(Printable("a\x1b[2J"), "a\\x1b[2J");
  EXPECT_EQ(Printable("a\nb\tc\r\x7f"), "a\\nb\\tc\\x0d\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character above ASCII";
}

TEST(Printable, WritesOutWhatTurnsTextOrIsNotSeen) {
  EXPECT_EQ(Printable("a\u2028b\u2029c"), "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9c");
  for (const std::string_view hidden : {"\u00AD", "\u061C", "\u200B", "\u200E", "\u202E", "\u2066", "\u2060", "\u3164",
                                        "\uFE0F", "\uFEFF", "\U000E0041"}) {
    EXPECT_TRUE(Printable(hidden).starts_with("\\x")) << Printable(hidden);
  }
}

TEST(Printable, WritesOutWhatIsNoUtf8ByteForByte) {
  EXPECT_EQ(Printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("outbound|80|\\x|web"), "outbound|80|\\x|web");
  EXPECT_EQ(Printable("grün → \xc2\xa0ok"), "grün → \xc2\xa0ok");
}

TEST(Columns, CountCharactersAndCutBetweenThem) {
  EXPECT_EQ(Columns("grün"), 4u);
  EXPECT_EQ(Truncate("grün", 3), "grü");
  EXPECT_EQ(Truncate("grün", 9), "grün");
  EXPECT_EQ(Truncate("grün", 0), "");
  EXPECT_EQ(Columns("日本"), 4u);
  EXPECT_EQ(Truncate("日本", 3), "日") << "no half of a wide one";
}

TEST(ShortenedInside, LeavesBothEnds) {
  EXPECT_EQ(ShortenedInside("outbound|80||a.svc", 9), "outb….svc");
  EXPECT_EQ(ShortenedInside("outbound", 8), "outbound");
  EXPECT_EQ(ShortenedInside("日本日本", 6), "日…本");
  EXPECT_LE(Columns(ShortenedInside("ab日本日本", 7)), 7u);
}

}  // namespace
}  // namespace xdscope::format
