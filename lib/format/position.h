// Turns places in a text, counted in bytes, into lines and columns, for findings that are shown.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"

namespace xdscope::format {

// Returns the lines and columns of places given in bytes, in any order, in one pass over the text. A place beyond the
// end counts as the end.
std::vector<finding::Position> PositionsOf(std::string_view text, std::span<const std::size_t> offsets);

}  // namespace xdscope::format
