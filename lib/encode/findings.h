// Collects what is wrong with a text while it is read. Knows no format; lines and columns are for those who know the
// text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/finding/finding.h"

namespace xdscope::encode {

// Keeps findings up to a number and counts those beyond it, so that a hostile text costs no more than a good one.
class Findings {
 public:
  static constexpr std::size_t kMost = 1000;

  explicit Findings(std::size_t most = kMost) : most_(most) {}

  // Adds a finding of a rule of lib/finding/reading_rules.h, or counts it when the list is full. `offset` counts bytes
  // of the text.
  void Add(std::string_view rule, finding::Severity severity, std::size_t offset, finding::Path path,
           std::string message);
  // Returns true while the list has room; else counts the finding, which then need not be put into words.
  bool HasRoom(finding::Severity severity);

  // What was collected up to a moment; ReturnTo() takes back what came behind it.
  struct Mark {
    std::size_t size, errors, left_out;
  };
  Mark mark() const { return {all_.size(), errors_, left_out_}; }
  void ReturnTo(const Mark& mark);

  const std::vector<finding::Finding>& all() const { return all_; }
  std::vector<finding::Finding> Take() { return std::move(all_); }
  // Counts the errors so far, those that found no room too.
  std::size_t errors() const { return errors_; }
  // Counts the findings that found no room.
  std::size_t left_out() const { return left_out_; }

 private:
  std::size_t most_;
  std::vector<finding::Finding> all_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace xdscope::encode
