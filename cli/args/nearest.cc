#include "cli/args/nearest.h"

#include <algorithm>

#include <fmt/format.h>

#include "lib/schema/nearest.h"

namespace xdscope::cli {
namespace {

// Counts the slips between two names; letters in another order (`stow` for `sotw`) are one.
std::size_t Distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() == b.size() && a != b && std::ranges::is_permutation(a, b)) return 1;
  return schema::EditDistance(a, b, limit);
}

}  // namespace

std::string_view Nearest(std::string_view typed, std::span<const std::string_view> names) {
  // One slip in a short word, one in three letters of a long one.
  std::size_t limit = typed.size() < 5 ? 1 : std::max<std::size_t>(2, typed.size() / 3);
  std::string_view best;
  for (const std::string_view name : names) {
    const std::size_t distance = Distance(typed, name, limit);
    // Of names that are equally near the first one stays, even at the limit.
    if (typed.empty() || distance > limit || (distance == limit && !best.empty())) continue;
    limit = distance;
    best = name;
  }
  if (!best.empty() || typed.size() < 3) return best;
  const auto begins_so = [typed](std::string_view name) { return name.starts_with(typed); };
  const auto found = std::ranges::find_if(names, begins_so);
  return found == names.end() ? std::string_view() : *found;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string_view> names, std::string_view prefix) {
  const std::string_view near = Nearest(typed, names);
  return near.empty() ? std::string() : fmt::format("; did you mean {}{}?", prefix, near);
}

}  // namespace xdscope::cli
