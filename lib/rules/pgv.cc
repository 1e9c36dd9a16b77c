#include "lib/rules/pgv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "absl/container/flat_hash_set.h"
#include "lib/base/status.h"
#include "lib/finding/pgv_rules.h"

namespace xdscope::rules {
namespace {

using encode::Visited;

// Messages of extensions on which Envoy 1.40 does not run PGV, although they stand in an Any. [validation.md 2.10-18]
constexpr std::string_view kNotRun[] = {
    "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
    "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
};

bool IsNotRun(const Visited& at) {
  return at.above != nullptr && at.field == nullptr &&
         std::find(std::begin(kNotRun), std::end(kNotRun), at.message.type().full_name()) != std::end(kNotRun);
}

std::string FieldName(const Place& place) {
  return place.field == nullptr ? std::string() : std::string(place.field->name);
}

std::string OptionOf(const Place& place, std::string_view option) {
  if (option.empty()) return {};
  const std::string_view type = place.message.message.type().full_name();
  return fmt::format("{}.{} {{{}}}", type, FieldName(place), option);
}

}  // namespace

const MessageRules& Pgv::RulesOf(const wire::Type& type) {
  if (const auto known = rules_.find(&type); known != rules_.end()) return *known->second;
  return *rules_.emplace(&type, CompileRules(type, types_)).first->second;
}

// Both lists are in the order of the fields' numbers, so they are gone through side by side.
void Pgv::Check(const Visited& at, Report* report) {
  const MessageRules& rules = RulesOf(at.message.type());
  const std::span<const wire::Present> known = at.fields->known();
  auto present = known.begin();
  for (const FieldRules& field : rules.fields) {
    while (present != known.end() && present->field->number < field.field->number) ++present;
    if (present != known.end() && present->field == field.field) {
      Present(at, field, *present, report);
    } else {
      Absent(at, field, report);
    }
  }
  if (!rules.oneofs.empty()) Oneofs(at, rules, report);
}

void Pgv::Absent(const Visited& at, const FieldRules& rules, Report* report) {
  const Place place = {at, rules.field};
  if (!rules.required.empty()) {
    finding::Finding* const finding = Add(rules.required, place, report);
    if (finding == nullptr) return;
    finding->message = fmt::format("{} must be set", rules.field->name);
    finding->option = OptionOf(place, "required: true");
  }
  for (const Constraint* constraint : rules.broken_by_absence) {
    Broken(place, *constraint, DefaultOf(*rules.field), report);
  }
}

void Pgv::Present(const Visited& at, const FieldRules& rules, const wire::Present& present, Report* report) {
  if (!rules.field->repeated) return Value({at, rules.field}, rules.value, wire::Single(present), report);
  rules.field->map ? Map(at, rules, present, report) : List(at, rules, present, report);
}

void Pgv::Value(const Place& place, const ValueRules& rules, const wire::Value& value, Report* report) {
  const wire::Value inner = Unwrapped(rules, value);
  if (rules.ignore_empty && inner.IsDefault()) return;
  for (const Constraint& constraint : rules.constraints) {
    if (!constraint.holds(inner)) Broken(place, constraint, value, report);
  }
}

void Pgv::Size(const Place& place, const FieldRules& rules, std::size_t size, Report* report) {
  if (rules.ignore_empty && size == 0) return;
  wire::Value count = DefaultOf(*rules.field);
  count.bits = size;
  for (const Constraint& constraint : rules.size) {
    if (!constraint.holds(count)) Broken(place, constraint, count, report);
  }
}

void Pgv::List(const Visited& at, const FieldRules& rules, const wire::Present& present, Report* report) {
  absl::flat_hash_set<std::pair<std::uint64_t, absl::string_view>> seen;
  std::size_t size = 0;
  for (wire::Elements elements(present); elements.Next(); ++size) {
    const wire::Value& value = elements.value();
    const Place place = {at, rules.field, size};
    Value(place, rules.value, value, report);
    if (!rules.unique || seen.emplace(value.bits, base::ToAbsl(value.bytes)).second) continue;
    finding::Finding* const finding = Add(finding::PgvRule("repeated", "unique"), place, report);
    if (finding == nullptr) continue;
    finding->message = fmt::format("{} must have each element once", rules.field->name);
    finding->option = OptionOf(place, "unique: true");
    finding->value = report->Shown(place, value);
  }
  Size({at, rules.field}, rules, size, report);
}

void Pgv::Map(const Visited& at, const FieldRules& rules, const wire::Present& present, Report* report) {
  const auto entries = wire::SortedMap(present);
  for (const wire::MapEntry& entry : entries) {
    const Place place = {at, rules.field, std::nullopt, &entry.key};
    Value(place, rules.key, entry.key, report);
    Value(place, rules.value, entry.value, report);
  }
  Size({at, rules.field}, rules, entries.size(), report);
}

void Pgv::Oneofs(const Visited& at, const MessageRules& rules, Report* report) {
  const std::span<const wire::Present> known = at.fields->known();
  for (const RequiredOneof& oneof : rules.oneofs) {
    const auto is_member = [&](const wire::Present& present) { return present.field->oneof == oneof.index; };
    if (std::any_of(known.begin(), known.end(), is_member)) continue;
    finding::Finding* const finding = Add(finding::PgvRule("oneof", "required"), {at}, report);
    if (finding == nullptr) continue;
    finding->message = fmt::format("one of the fields of {} must be set", oneof.name);
    finding->option = fmt::format("{}.{} {{required: true}}", at.message.type().full_name(), oneof.name);
  }
}

void Pgv::Broken(const Place& place, const Constraint& constraint, const wire::Value& value, Report* report) {
  finding::Finding* const finding = Add(constraint.rule, place, report);
  if (finding == nullptr) return;
  const bool about_key = place.key != nullptr && value.field == place.key->field;
  finding->message = fmt::format("{}{} {}", about_key ? "a key of " : "", FieldName(place), constraint.words);
  finding->option = OptionOf(place, constraint.option);
  const bool about_size = place.field->repeated && !place.index && place.key == nullptr;
  finding->value = about_size ? fmt::format("{}", value.bits) : report->Shown(place, value);
}

// Adds a finding, unless PGV does not get that far.
finding::Finding* Pgv::Add(std::string_view rule, const Place& place, Report* report) {
  const Below reach = Reach(place.message);
  if (reach == Below::kSkipped) return nullptr;
  finding::Finding* const finding = report->Add(rule, place);
  if (finding != nullptr && reach == Below::kForgotten) finding->severity = finding::Severity::kWarning;
  return finding;
}

// Looks up the way to a message: only where there is something to report, since the options that end PGV's way down are
// rare. An Any begins anew: Envoy runs PGV on what it holds.
Below Pgv::Reach(const Visited& at) {
  Below reach = Below::kChecked;
  for (const Visited* message = &at; message != nullptr; message = message->above) {
    if (RulesOf(message->message.type()).off) return Below::kSkipped;
    if (IsNotRun(*message)) reach = Below::kForgotten;
    if (message->field == nullptr) break;
    const FieldRules* const rules = RulesOf(message->above->message.type()).Find(*message->field);
    if (rules == nullptr) continue;
    if (rules->value.below == Below::kSkipped) return Below::kSkipped;
    if (rules->value.below == Below::kForgotten) reach = Below::kForgotten;
  }
  return reach;
}

}  // namespace xdscope::rules
