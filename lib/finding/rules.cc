#include "lib/finding/rules.h"

#include <algorithm>

namespace xdscope::finding {
namespace {

const Rule* FindIn(std::span<const Rule> rules, std::string_view id) {
  const auto found = std::lower_bound(rules.begin(), rules.end(), id,
                                      [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != rules.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

const Rule* FindRule(std::string_view id) {
  const Rule* found = FindIn(ProtocolRules(), id);
  return found != nullptr ? found : FindIn(ReadingRules(), id);
}

Severity SeverityOf(std::string_view id) {
  const Rule* rule = FindRule(id);
  return rule != nullptr ? rule->severity : Severity::kError;
}

}  // namespace xdscope::finding
