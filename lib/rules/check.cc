#include "lib/rules/check.h"

#include <algorithm>
#include <vector>

#include "lib/finding/rules.h"

namespace xdscope::rules {

finding::Finding* Context::Add(std::string_view rule, const Place& place, std::string message) {
  finding::Finding* const finding = report.Add(rule, place);
  if (finding == nullptr) return nullptr;
  finding->severity = finding::SeverityOf(rule);
  finding->message = std::move(message);
  return finding;
}

std::optional<wire::Value> Get(const encode::Visited& at, std::string_view field) {
  const wire::Field* const row = at.message.type().Find(field);
  if (row == nullptr) return std::nullopt;
  const std::span<const wire::Present> known = at.fields->known();
  const auto found = std::find_if(known.begin(), known.end(), [row](const wire::Present& p) { return p.field == row; });
  return found == known.end() ? std::nullopt : std::optional(wire::Single(*found));
}

std::span<const Check> AllChecks() {
  static const auto* const all = [] {
    auto* const checks = new std::vector<Check>();
    for (const std::span<const Check> table :
         {AnyChecks(), BalancingChecks(), BootstrapChecks(), ClusterChecks(), EndpointChecks(), FilterChainChecks(),
          FilterChecks(), GrpcChecks(), GrpcTlsChecks(), HttpChecks(), ListenerChecks(), RouteChecks(),
          RouteOrderChecks(), TlsChecks(), UpstreamChecks(), ValueChecks()}) {
      checks->insert(checks->end(), table.begin(), table.end());
    }
    return checks;
  }();
  return *all;
}

}  // namespace xdscope::rules
