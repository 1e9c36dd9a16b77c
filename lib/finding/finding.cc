#include "lib/finding/finding.h"

#include "fmt/format.h"

namespace xdscope::finding {

std::string_view WordOf(Severity severity) {
  constexpr std::string_view kWords[] = {"info", "warning", "error"};
  return kWords[static_cast<std::size_t>(severity)];
}

std::string ToText(const Finding& finding) {
  return finding.rule.empty() ? finding.message : fmt::format("{} [{}]", finding.message, finding.rule);
}

}  // namespace xdscope::finding
