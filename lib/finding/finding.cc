#include "lib/finding/finding.h"

#include "fmt/format.h"

namespace xdscope::finding {

std::string ToText(const Finding& finding) {
  return finding.rule.empty() ? finding.message : fmt::format("{} [{}]", finding.message, finding.rule);
}

}  // namespace xdscope::finding
