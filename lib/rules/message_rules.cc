#include "lib/rules/message_rules.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <optional>

#include "lib/finding/pgv_rules.h"
#include "lib/rules/options.h"
#include "lib/wire/message.h"

namespace xdscope::rules {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::OneofDescriptor;
using wire::FieldKind;
using wire::Value;
using wire::View;
using wire::WellKnown;

// The numbers of the options of validate.proto.
constexpr std::uint32_t kRules = 1071;     // of a field
constexpr std::uint32_t kRequired = 1071;  // of a oneof
constexpr std::uint32_t kDisabled = 1071;  // of a message
constexpr std::uint32_t kIgnored = 1072;   // of a message

// Returns the member of FieldRules.type that is set: its field is the family, its value the rules.
std::optional<Value> FamilyOf(const View& rules) {
  std::optional<Value> family;
  for (const wire::Fields fields(rules); const wire::Present& present : fields.known()) {
    if (present.field->oneof >= 0) family = wire::Single(present);
  }
  return family;
}

bool IsTime(std::string_view family) {
  return family == "duration" || family == "timestamp";
}

// Tells whether a family of rules can be about values of a kind: rules about texts say nothing about numbers. A schema
// where they do was never given to PGV, which refuses it.
bool Fits(std::string_view family, FieldKind kind) {
  if (family == "string") return kind == FieldKind::kString;
  if (family == "bytes") return kind == FieldKind::kBytes;
  if (family == "enum") return kind == FieldKind::kEnum;
  if (family == "any" || IsTime(family)) return kind == FieldKind::kMessage;
  return kind < FieldKind::kString && kind != FieldKind::kEnum;
}

Constraints Compile(std::string_view family, const View& rules, const wire::Field& field) {
  if (family == "string" || family == "bytes") return TextConstraints(family, rules);
  if (family == "enum") return EnumConstraints(rules, field);
  if (family == "any") return AnyConstraints(rules);
  if (IsTime(family)) return TimeConstraints(family, rules);
  return NumberConstraints(family, rules);
}

// Returns the field of the value in a wrapper such as google.protobuf.UInt32Value.
const wire::Field& ValueField(const wire::Field& wrapper) {
  return *wrapper.message().Find(1U);
}

// Compiles what `rules`, a FieldRules, say of single values of `field`.
ValueRules CompileValue(const View& rules, const wire::Field& field) {
  ValueRules compiled;
  const bool message = field.kind == FieldKind::kMessage;
  if (const std::optional<Value> about_message = rules.Get("message")) {
    if (IsTrue(about_message->AsMessage(), "skip")) compiled.below = Below::kSkipped;
  }
  const std::optional<Value> family = FamilyOf(rules);
  if (!family) return compiled;
  const std::string_view name = family->field->name;
  compiled.wrapped = message && field.message().well_known() == WellKnown::kWrapper;
  const wire::Field& compared = compiled.wrapped ? ValueField(field) : field;
  if (!Fits(name, compared.kind)) return compiled;
  const bool forgets = message && field.message().well_known() == WellKnown::kNone;
  if (forgets && compiled.below == Below::kChecked) compiled.below = Below::kForgotten;
  const View about = family->AsMessage();
  compiled.ignore_empty = IsTrue(about, "ignore_empty");
  compiled.constraints = Compile(name, about, compared);
  return compiled;
}

// `message.required` stands beside the family; durations, times and Anys have an own `required`. None of them means
// anything for a member of a oneof, nor for an `optional` field. [validation.md 1.3-2, 1.3-3]
std::string_view RequiredBy(const View& rules, const wire::Field& field) {
  if (field.kind != FieldKind::kMessage || field.repeated || field.descriptor->containing_oneof() != nullptr) return {};
  const std::optional<Value> message = rules.Get("message");
  if (message && IsTrue(message->AsMessage(), "required")) return finding::PgvRule("message", "required");
  const std::optional<Value> family = FamilyOf(rules);
  if (!family || !IsTrue(family->AsMessage(), "required")) return {};
  return finding::PgvRule(family->field->name, "required");
}

// Compiles the rules of the elements of a list, or of the keys or values of a map.
ValueRules CompilePart(const View& rules, std::string_view part, const wire::Field& field) {
  const std::optional<Value> about = rules.Get(part);
  return about ? CompileValue(about->AsMessage(), field) : ValueRules();
}

void CompileMany(const View& rules, FieldRules* compiled) {
  const wire::Field& field = *compiled->field;
  const std::optional<Value> family = FamilyOf(rules);
  if (!family || family->field->name != (field.map ? "map" : "repeated")) return;
  const View about = family->AsMessage();
  compiled->ignore_empty = IsTrue(about, "ignore_empty");
  compiled->size = SizeConstraints(family->field->name, about);
  if (field.map) {
    compiled->key = CompilePart(about, "keys", *field.message().Find(1U));
    compiled->value = CompilePart(about, "values", *field.message().Find(2U));
  } else {
    compiled->unique = IsTrue(about, "unique") && field.kind != FieldKind::kMessage;
    compiled->value = CompilePart(about, "items", field);
  }
}

void FindBrokenByAbsence(FieldRules* compiled) {
  const wire::Field& field = *compiled->field;
  const bool many = field.repeated;
  if (field.has_presence || (many ? compiled->ignore_empty : compiled->value.ignore_empty)) return;
  const Value absent = DefaultOf(field);
  for (const Constraint& constraint : many ? compiled->size : compiled->value.constraints) {
    if (!constraint.holds(absent)) compiled->broken_by_absence.push_back(&constraint);
  }
}

FieldRules CompileField(const View& rules, const wire::Field& field) {
  FieldRules compiled;
  compiled.field = &field;
  compiled.required = RequiredBy(rules, field);
  field.repeated ? CompileMany(rules, &compiled) : static_cast<void>(compiled.value = CompileValue(rules, field));
  return compiled;
}

bool DemandsNothing(const FieldRules& rules) {
  return rules.required.empty() && rules.value.constraints.empty() && rules.value.below == Below::kChecked &&
         rules.key.constraints.empty() && rules.size.empty() && !rules.unique;
}

}  // namespace

const FieldRules* MessageRules::Find(const wire::Field& field) const {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), field.number,
                       [](const FieldRules& rules, std::uint32_t number) { return rules.field->number < number; });
  return found != fields.end() && found->field == &field ? &*found : nullptr;
}

wire::Value DefaultOf(const wire::Field& field) {
  wire::Value value;
  value.field = &field;
  return value;
}

wire::Value Unwrapped(const ValueRules& rules, const wire::Value& value) {
  if (!rules.wrapped) return value;
  return value.AsMessage().Get(1U).value_or(DefaultOf(ValueField(*value.field)));
}

std::unique_ptr<MessageRules> CompileRules(const wire::Type& type, wire::Types& types) {
  auto compiled = std::make_unique<MessageRules>();
  const Descriptor& descriptor = type.descriptor();
  const std::string options = OptionsOf(descriptor);
  compiled->off = NumberOption(options, kDisabled) != 0 || NumberOption(options, kIgnored) != 0;
  const wire::Type* const rules_type = types.Find("validate.FieldRules");
  if (compiled->off || rules_type == nullptr) return compiled;
  for (const wire::Field& field : type.fields()) {
    const std::string bytes = BytesOption(OptionsOf(*field.descriptor), kRules);
    if (bytes.empty()) continue;
    const absl::StatusOr<wire::Message> rules = wire::Decode(bytes, *rules_type);
    if (!rules.ok()) continue;
    FieldRules of_field = CompileField(rules->view(), field);
    if (!DemandsNothing(of_field)) compiled->fields.push_back(std::move(of_field));
  }
  for (FieldRules& rules : compiled->fields) FindBrokenByAbsence(&rules);
  for (int i = 0; i < descriptor.real_oneof_decl_count(); ++i) {
    const OneofDescriptor& oneof = *descriptor.oneof_decl(i);
    if (NumberOption(OptionsOf(oneof), kRequired) != 0) {
      compiled->oneofs.push_back({static_cast<std::int16_t>(i), oneof.name()});
    }
  }
  return compiled;
}

}  // namespace xdscope::rules
