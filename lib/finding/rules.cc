#include "lib/finding/rules.h"

#include <algorithm>
#include <iterator>

#include "lib/finding/pgv_rules.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::finding {
namespace {

const Rule* FindIn(std::span<const Rule> rules, std::string_view id) {
  const auto found = std::lower_bound(rules.begin(), rules.end(), id,
                                      [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != rules.end() && found->id == id ? &*found : nullptr;
}

constexpr std::string_view kBadResource[] = {"XDS-S007", "XDS-S008", "XDS-S010", "XDS-S012", "XDS-S014",   "XDS-S016",
                                             "XDS-S039", "XDS-S040", "XDS-S055", "XDS-S056", kAnyBytesRule};

}  // namespace

bool MakesBad(std::string_view id) {
  return id.starts_with("pgv.") ||
         std::find(std::begin(kBadResource), std::end(kBadResource), id) != std::end(kBadResource);
}

const Rule* FindRule(std::string_view id) {
  for (const std::span<const Rule> rules : {ProtocolRules(), ReadingRules(), ConfigRules()}) {
    if (const Rule* found = FindIn(rules, id)) return found;
  }
  return id.starts_with("pgv.") ? FindIn(PgvRules(), id) : nullptr;
}

Severity SeverityOf(std::string_view id) {
  const Rule* rule = FindRule(id);
  return rule != nullptr ? rule->severity : Severity::kError;
}

}  // namespace xdscope::finding
