// Where two JSON texts differ as values.
#pragma once

#include <string>

namespace xdscope::format {

// Empty when both are the same JSON value, else where they differ.
std::string JsonDifference(const std::string& ours, const std::string& theirs);

}  // namespace xdscope::format
