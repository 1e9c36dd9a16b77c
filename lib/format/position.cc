#include "lib/format/position.h"

#include <algorithm>
#include <numeric>

namespace xdscope::format {

std::vector<finding::Position> PositionsOf(std::string_view text, std::span<const std::size_t> offsets) {
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
  std::vector<finding::Position> positions(offsets.size());
  finding::Position here{1, 1};
  std::size_t at = 0;
  for (const std::size_t next : order) {
    for (const std::size_t end = std::min(offsets[next], text.size()); at < end; ++at) {
      if (text[at] == '\n') {
        here = {here.line + 1, 1};
      } else if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) {  // else inside a character
        ++here.column;
      }
    }
    positions[next] = here;
  }
  return positions;
}

}  // namespace xdscope::format
