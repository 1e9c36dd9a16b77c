// "Did you mean": finds the name that was probably meant by one that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace xdscope::cli {

// Returns the name nearest to `typed`, if it is near enough to be worth saying; else empty. A name that begins with
// what was typed counts as near.
std::string_view Nearest(std::string_view typed, std::span<const std::string_view> names);

// Returns "; did you mean NAME?" (`prefix` in front of the name), or nothing.
std::string DidYouMean(std::string_view typed, std::span<const std::string_view> names, std::string_view prefix = "");

}  // namespace xdscope::cli
