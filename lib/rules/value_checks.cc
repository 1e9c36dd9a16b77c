// Checks of values of any message.
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <array>
#include <cmath>

#include "lib/rules/check.h"
#include "lib/rules/options.h"

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

// Envoy throws for a negative one wherever it reads it. Where PGV has a bound for the field, that says so.
void CheckPositive(const Visited& at, Context& context) {
  constexpr std::uint32_t kRules = 1071;  // (validate.rules), and in it `duration`
  constexpr std::uint32_t kDurationRules = 21;
  if (at.above == nullptr || at.field == nullptr) return;
  if (!at.above->message.type().full_name().starts_with("envoy.")) return;
  const auto is_negative = [&](std::string_view field) {
    const std::optional<wire::Value> value = Get(at, field);
    return value && value->AsInt() < 0;
  };
  if (!is_negative("seconds") && !is_negative("nanos")) return;
  if (!BytesOption(BytesOption(OptionsOf(*at.field->descriptor), kRules), kDurationRules).empty()) return;
  context.Add("XDS-V012", {at}, fmt::format("{} is negative", at.field->name));
}

constexpr std::string_view kDuration[] = {"google.protobuf.Duration"};

constexpr std::array kChecks = {
    Check{"XDS-V012", {}, {}, CheckFinite},
    Check{"XDS-V012", kDuration, {}, CheckPositive},
};

}  // namespace

std::span<const Check> ValueChecks() {
  return kChecks;
}

}  // namespace xdscope::rules
