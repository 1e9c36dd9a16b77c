// Where the cursor of a line editor stands on a screen, by what is before it: what has to be known to write above a
// line that is being typed. Counts columns as libedit draws them.
#pragma once

#include <cstddef>
#include <string_view>

namespace xdscope::cli {

struct Place {
  std::size_t row = 0;  // below the one where the text begins
  std::size_t column = 0;
};

// Returns where the cursor stands behind a text that begins in the first column of a screen of `columns`. A line that
// is full has its cursor in the next row. Wide characters take the columns that the locale says.
Place PlaceAfter(std::wstring_view before, std::size_t columns);

}  // namespace xdscope::cli
