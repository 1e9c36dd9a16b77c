#include "lib/finding/sample.h"

#include <algorithm>

namespace xdscope::finding {

Sample::OfRule& Sample::Row(std::string_view rule) {
  const auto known = std::find_if(rules_.begin(), rules_.end(), [&](const OfRule& row) { return row.rule == rule; });
  return known != rules_.end() ? *known : rules_.emplace_back(OfRule{rule});
}

Finding* Sample::Add(std::string_view rule) {
  OfRule& row = Row(rule);
  if (row.count == kMostOfARule) {
    ++kept_[row.last].more;
    return nullptr;
  }
  ++row.count;
  row.last = kept_.size();
  Finding& finding = kept_.emplace_back();
  finding.rule = rule;
  return &finding;
}

void Sample::Add(const Finding& finding) {
  if (Finding* place = Add(finding.rule)) {
    *place = finding;
  } else {
    kept_[Row(finding.rule).last].more += finding.more;
  }
}

std::size_t CountOf(const std::vector<Finding>& findings) {
  std::size_t count = findings.size();
  for (const Finding& finding : findings) count += finding.more;
  return count;
}

}  // namespace xdscope::finding
