// Paths written as text, for tests: `a.b[3]["key"]`.
#pragma once

#include <string_view>

#include "lib/finding/path.h"

namespace xdscope::format {

// Reads what finding::ToText() prints, of keys without control characters.
finding::Path PathOf(std::string_view text);

}  // namespace xdscope::format
