#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {"XDS-S001", Severity::kError, "Each streamed response carries a nonce."},
};

}  // namespace

std::span<const Rule> ProtocolRules() {
  return kRules;
}

}  // namespace xdscope::finding
