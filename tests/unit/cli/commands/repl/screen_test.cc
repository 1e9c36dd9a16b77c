#include "cli/commands/repl/screen.h"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace xdscope::cli {
namespace {

class ScreenTest : public testing::Test {
 protected:
  ScreenTest() { std::setlocale(LC_CTYPE, "C.UTF-8"); }

  void Expect(std::wstring_view text, std::size_t columns, std::size_t row, std::size_t column) {
    const Place place = PlaceAfter(text, columns);
    EXPECT_EQ(place.row, row);
    EXPECT_EQ(place.column, column);
  }
};

TEST_F(ScreenTest, ALineThatIsFullHasItsCursorInTheNextRow) {
  Expect(L"", 10, 0, 0);
  Expect(L"123456789", 10, 0, 9);
  Expect(L"1234567890", 10, 1, 0);
  Expect(std::wstring(25, L'x'), 10, 2, 5);
}

TEST_F(ScreenTest, WideCharactersAreNotSplit) {
  Expect(L"漢字", 10, 0, 4);
  Expect(L"123456789漢", 10, 1, 2);
  Expect(L"12345678漢", 10, 1, 0);
}

TEST_F(ScreenTest, MarksTakeNoColumn) {
  Expect(L"e\u0301e", 10, 0, 2);
}

TEST_F(ScreenTest, WhatCannotBePrintedIsDrawnAsSeveralCharacters) {
  Expect(L"\x01", 10, 0, 2);
  Expect(L"123456789\x01", 10, 1, 1);
  Expect(L"\x80", 20, 0, 7);
}

TEST_F(ScreenTest, TabsAndNewLinesCount) {
  Expect(L"a\tb", 20, 0, 9);
  Expect(L"abc\nbck:x", 20, 1, 5);
}

}  // namespace
}  // namespace xdscope::cli
