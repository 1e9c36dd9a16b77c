#include "cli/commands/repl/screen.h"

#include <wchar.h>
#include <wctype.h>

#include <algorithm>

namespace xdscope::cli {
namespace {

// libedit draws a character that cannot be printed as "\U+1234" or "\U+12345".
constexpr std::size_t kEscaped = 7;
constexpr std::size_t kLongEscaped = 8;

bool IsControl(wchar_t c) {
  return c < L' ' || c == L'\x7f';
}

std::size_t ColumnsOf(wchar_t c) {
  if (IsControl(c)) return 2;  // ^A
  if (iswprint(static_cast<wint_t>(c)) == 0) return c > 0xffff ? kLongEscaped : kEscaped;
  return static_cast<std::size_t>(std::max(wcwidth(c), 0));
}

}  // namespace

Place PlaceAfter(std::wstring_view before, std::size_t columns) {
  constexpr std::size_t kTab = 8;
  Place place;
  for (const wchar_t c : before) {
    if (c == L'\n') {
      place = {place.row + 1, 0};
      continue;
    }
    const std::size_t width = c == L'\t' ? kTab - place.column % kTab : ColumnsOf(c);
    // A wide character is not split; what is drawn as several characters is.
    const bool breaks = c != L'\t' && width <= 2 && !IsControl(c) && place.column + width > columns;
    const std::size_t column = breaks ? columns + width : place.column + width;
    place = {place.row + column / columns, column % columns};
  }
  return place;
}

}  // namespace xdscope::cli
