// Findings as far as a person reads them: of each rule the first hundred, and how many more there were. A peer can
// break a rule a million times in a message of a few megabytes; what it did is then said once, and not a million times
// kept.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"

namespace xdscope::finding {

class Sample {
 public:
  static constexpr std::size_t kMostOfARule = 100;

  // Makes a finding of a rule, for the caller to fill in: the pointer is good until the next call. Returns nullptr
  // where there are enough of that rule: then the finding is counted, and need not be put into words.
  Finding* Add(std::string_view rule);
  // Adds a finding that is there already, with those that it counts.
  void Add(const Finding& finding);

  // The findings in the order in which they were added. The last one of a rule counts those that were not kept.
  const std::vector<Finding>& kept() const { return kept_; }
  std::vector<Finding> Take() { return std::move(kept_); }

 private:
  struct OfRule {
    std::string_view rule;
    std::size_t count = 0;  // kept
    std::size_t last = 0;   // place of the last one kept
  };
  OfRule& Row(std::string_view rule);

  std::vector<Finding> kept_;
  std::vector<OfRule> rules_;  // few: rules are rows of a table
};

// Returns how many findings there were, those that were not kept too.
std::size_t CountOf(const std::vector<Finding>& findings);

}  // namespace xdscope::finding
