// Which of many names somebody meant who wrote one that does not exist. Knows dotted names and nothing of protobuf.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::schema {

// Counts how many letters have to be put in, left out or changed to make `b` of `a`; anything above `limit` comes back
// as limit + 1, and costs less.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit);

// Returns, of `names`, one with the same last part as `name`, the nearest of those (a type that moved to another
// package); else the nearest of all, if no more than a third of the letters differ; else empty. Of equals the first.
std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace xdscope::schema
