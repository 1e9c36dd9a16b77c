// Lines and columns of a text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace xdscope::format {

// From 1; columns count characters, not bytes. Line 0: not a place in a text; of binary files the column is then the
// number of the byte, from 1.
struct Position {
  int line = 0;
  int column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// The positions of places given in bytes, in any order, in one pass over the text. Beyond the end counts as the end.
std::vector<Position> PositionsOf(std::string_view text, std::span<const std::size_t> offsets);

}  // namespace xdscope::format
