#include "lib/encode/findings.h"

namespace xdscope::encode {

bool Findings::HasRoom(finding::Severity severity) {
  if (all_.size() < most_) return true;
  if (severity == finding::Severity::kError) ++errors_;
  ++left_out_;
  return false;
}

void Findings::Add(std::string_view rule, finding::Severity severity, std::size_t offset, finding::Path path,
                   std::string message) {
  if (!HasRoom(severity)) return;
  if (severity == finding::Severity::kError) ++errors_;
  finding::Finding& finding = all_.emplace_back();
  finding.rule = rule;
  finding.severity = severity;
  finding.offset = offset;
  finding.path = std::move(path);
  finding.message = std::move(message);
}

void Findings::ReturnTo(const Mark& mark) {
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(mark.size), all_.end());
  errors_ = mark.errors;
  left_out_ = mark.left_out;
}

}  // namespace xdscope::encode
