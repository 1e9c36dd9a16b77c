// A tree as one line: {key: value}, [values], numbers and booleans as they are, texts in quotes, words in angle
// brackets.
#pragma once

#include <string>

#include "lib/encode/tree.h"

namespace xdscope::format {

std::string TreeText(const encode::Node& node);

}  // namespace xdscope::format
