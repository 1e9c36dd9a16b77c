#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {"XDS-V012", Severity::kWarning, "A number is one, and finite: NaN passes every bound.", Client::kEnvoy,
     "Envoy takes NaN past every bound of PGV, and may refuse it later.",
     "A double that is NaN or infinite is smaller and larger than no bound, so PGV lets it pass. Some checks of Envoy "
     "refuse it later: with a healthy_panic_threshold of NaN the server does not become ready."},
};

}  // namespace

std::span<const Rule> ConfigRules() {
  return kRules;
}

}  // namespace xdscope::finding
