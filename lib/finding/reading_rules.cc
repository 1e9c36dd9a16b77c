#include "lib/finding/rules.h"

namespace xdscope::finding {
namespace {

constexpr Rule kRules[] = {
    {"XDS-V001", Severity::kError, "A file is a discovery response, a resource, or a list of resources."},
};

}  // namespace

std::span<const Rule> ReadingRules() {
  return kRules;
}

}  // namespace xdscope::finding
