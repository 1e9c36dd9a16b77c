#include "lib/format/printable.h"

#include <gtest/gtest.h>

namespace xdscope::format {
namespace {

TEST(Printable, WritesOutWhatSteersATerminal) {
  EXPECT_EQ(Printable("a\x1b[2J"), "a\\x1b[2J");
  EXPECT_EQ(Printable("a\nb\tc\r\x7f"), "a\\nb\\tc\\x0d\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character above ASCII";
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
}

}  // namespace
}  // namespace xdscope::format
