// Checks of values of any message.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lib/rules/check.h"

namespace xdscope::rules {
namespace {

using encode::Visited;

bool IsFinite(const wire::Value& value) {
  return std::isfinite(value.field->kind == wire::FieldKind::kFloat ? value.AsFloat() : value.AsDouble());
}

// [XDS-V012]
void CheckFinite(const Visited& at, Context& context) {
  for (const wire::Present& present : at.fields->known()) {
    const wire::Field& field = *present.field;
    if (field.kind != wire::FieldKind::kFloat && field.kind != wire::FieldKind::kDouble) continue;
    std::size_t index = 0;
    for (wire::Elements elements(present); elements.Next(); ++index) {
      if (IsFinite(elements.value())) continue;
      const Place place = {at, &field, field.repeated ? std::optional(index) : std::nullopt};
      finding::Finding* const finding =
          context.Add("XDS-V012", place, fmt::format("{} is no finite number", field.name));
      if (finding != nullptr) finding->value = context.report.Shown(place, elements.value());
    }
  }
}

constexpr std::array kChecks = {
    Check{"XDS-V012", {}, {}, CheckFinite},
};

}  // namespace

std::span<const Check> ValueChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
