// Where a field stands in the bytes of a message: what lines and columns are to texts. Knows no file.
#pragma once

#include <cstddef>

#include "lib/finding/path.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// Returns how many bytes stand before a field of `root`, of its last occurrence; where it is missing, before the
// nearest thing around it. Goes through an Any without a step, as the path does, and into no Struct. Takes time in
// proportion to the messages on the way.
std::size_t OffsetIn(const wire::View& root, const finding::Path& path, wire::Types& types);

}  // namespace xdscope::format
