#include "lib/schema/nearest.h"

#include <algorithm>
#include <numeric>

namespace xdscope::schema {
namespace {

std::string_view LastPart(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// The limit sinks with each better name, so that most of the 2,000 names cost a comparison of lengths.
template <typename Accept>
std::string Best(std::string_view name, const std::vector<std::string>& names, std::size_t limit, Accept accept) {
  std::string_view best;
  for (const std::string& candidate : names) {
    if (!accept(candidate)) continue;
    const std::size_t distance = EditDistance(name, candidate, limit);
    if (distance > limit) continue;
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return std::string(best);
}

}  // namespace

// Computes Levenshtein's distance with one row of its table: what stands in the row is still that of the letter before,
// left of it that of this one. It ends when a whole row is beyond the limit, as no later row can have less.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (apart > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
    if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
  }
  return std::min(row.back(), limit + 1);
}

std::string NearestName(std::string_view name, const std::vector<std::string>& names) {
  const std::string_view last = LastPart(name);
  if (last.empty()) return {};
  const std::size_t any = name.size() + 256;
  std::string moved = Best(name, names, any, [&](std::string_view other) { return LastPart(other) == last; });
  if (!moved.empty()) return moved;
  return Best(name, names, name.size() / 3, [](std::string_view) { return true; });
}

}  // namespace xdscope::schema
