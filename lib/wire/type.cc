#include "lib/wire/type.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "lib/base/status.h"
#include "lib/base/type_url.h"
#include "lib/wire/sensitive.h"

namespace xdscope::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr std::uint32_t kDenseNumbers = 128;

FieldKind KindOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_INT32:
      return FieldKind::kInt32;
    case FieldDescriptor::TYPE_INT64:
      return FieldKind::kInt64;
    case FieldDescriptor::TYPE_UINT32:
      return FieldKind::kUint32;
    case FieldDescriptor::TYPE_UINT64:
      return FieldKind::kUint64;
    case FieldDescriptor::TYPE_SINT32:
      return FieldKind::kSint32;
    case FieldDescriptor::TYPE_SINT64:
      return FieldKind::kSint64;
    case FieldDescriptor::TYPE_FIXED32:
      return FieldKind::kFixed32;
    case FieldDescriptor::TYPE_FIXED64:
      return FieldKind::kFixed64;
    case FieldDescriptor::TYPE_SFIXED32:
      return FieldKind::kSfixed32;
    case FieldDescriptor::TYPE_SFIXED64:
      return FieldKind::kSfixed64;
    case FieldDescriptor::TYPE_BOOL:
      return FieldKind::kBool;
    case FieldDescriptor::TYPE_ENUM:
      return FieldKind::kEnum;
    case FieldDescriptor::TYPE_FLOAT:
      return FieldKind::kFloat;
    case FieldDescriptor::TYPE_DOUBLE:
      return FieldKind::kDouble;
    case FieldDescriptor::TYPE_STRING:
      return FieldKind::kString;
    case FieldDescriptor::TYPE_BYTES:
      return FieldKind::kBytes;
    default:
      return FieldKind::kMessage;
  }
}

WellKnown WellKnownOf(std::string_view name) {
  if (name == "xds.type.v3.TypedStruct" || name == "udpa.type.v1.TypedStruct") return WellKnown::kTypedStruct;
  constexpr std::string_view kPackage = "google.protobuf.";
  if (!name.starts_with(kPackage)) return WellKnown::kNone;
  name.remove_prefix(kPackage.size());
  constexpr std::pair<std::string_view, WellKnown> kNames[] = {
      {"Any", WellKnown::kAny},
      {"Duration", WellKnown::kDuration},
      {"Timestamp", WellKnown::kTimestamp},
      {"Struct", WellKnown::kStruct},
      {"Value", WellKnown::kValue},
      {"ListValue", WellKnown::kListValue},
      {"FieldMask", WellKnown::kFieldMask},
      {"Empty", WellKnown::kEmpty},
      {"DoubleValue", WellKnown::kWrapper},
      {"FloatValue", WellKnown::kWrapper},
      {"Int64Value", WellKnown::kWrapper},
      {"UInt64Value", WellKnown::kWrapper},
      {"Int32Value", WellKnown::kWrapper},
      {"UInt32Value", WellKnown::kWrapper},
      {"BoolValue", WellKnown::kWrapper},
      {"StringValue", WellKnown::kWrapper},
      {"BytesValue", WellKnown::kWrapper},
  };
  for (const auto& [known, kind] : kNames) {
    if (name == known) return kind;
  }
  return WellKnown::kNone;
}

bool Proto3(const google::protobuf::FileDescriptor& file) {
  return file.syntax() == google::protobuf::FileDescriptor::SYNTAX_PROTO3;
}

}  // namespace

const Type& Field::Compiled() const {
  message_ = &types_->Get(*descriptor->message_type());
  return *message_;
}

std::string_view Field::EnumName(std::int32_t value) const {
  if (values_ == nullptr) values_ = &types_->Values(*descriptor->enum_type());
  const auto found = std::lower_bound(values_->begin(), values_->end(), value,
                                      [](const EnumValue& row, std::int32_t wanted) { return row.number < wanted; });
  return found != values_->end() && found->number == value ? found->name : std::string_view();
}

const Field* Type::FindSparse(std::uint32_t number) const {
  const auto found = std::lower_bound(fields_.begin(), fields_.end(), number,
                                      [](const Field& field, std::uint32_t n) { return field.number < n; });
  return found != fields_.end() && found->number == number ? &*found : nullptr;
}

const Field* Type::Find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& field) { return field.name == name || field.json_name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

// Remembers the types that there are: these are as many as the schema has. A name without a type may be any text that a
// server sends, so it is looked up each time.
const Type* Types::Find(std::string_view name_or_url) {
  const std::string_view name = base::MessageName(name_or_url);
  if (const auto known = by_name_.find(base::ToAbsl(name)); known != by_name_.end()) return known->second;
  const Descriptor* descriptor = schema_->FindMessage(name);
  const Type* type = descriptor == nullptr ? nullptr : &Get(*descriptor);
  if (type != nullptr) by_name_.emplace(name, type);
  return type;
}

std::string Types::WhyUnknown(std::string_view name_or_url) {
  const std::string_view name = base::MessageName(name_or_url);
  auto searched = nearest_.find(base::ToAbsl(name));
  if (searched == nearest_.end() && nearest_.size() < kMostSearched) {
    searched = nearest_.emplace(name, schema_->Nearest(name)).first;
  }
  if (searched == nearest_.end() || searched->second.empty()) return fmt::format("unknown type {}", name);
  return fmt::format("unknown type {} (nearest: {})", name, searched->second);
}

// Compiling a type may compile others, so that no place in the table is kept meanwhile.
const Type& Types::Get(const Descriptor& descriptor) {
  if (const auto known = types_.find(&descriptor); known != types_.end()) return *known->second;
  std::unique_ptr<Type> type = Compile(descriptor);
  return *types_.emplace(&descriptor, std::move(type)).first->second;
}

// Finds a field by its number through an array, as nearly all messages number their fields from 1 on; the numbers above
// the array, of extensions and the like, are few and searched. Types refer to one another, in circles too, so that the
// type of a field is compiled when somebody first goes there.
std::unique_ptr<Type> Types::Compile(const Descriptor& descriptor) {
  auto type = std::make_unique<Type>();
  type->full_name_ = descriptor.full_name();
  type->well_known_ = WellKnownOf(type->full_name_);
  type->is_secret_ = IsSecretType(type->full_name_);
  type->label_ = LabelOf(type->full_name_);
  type->descriptor_ = &descriptor;
  type->fields_.reserve(static_cast<std::size_t>(descriptor.field_count()));
  for (int i = 0; i < descriptor.field_count(); ++i) {
    if (descriptor.field(i)->type() == FieldDescriptor::TYPE_GROUP) continue;
    type->fields_.push_back(CompileField(*descriptor.field(i)));
  }
  std::sort(type->fields_.begin(), type->fields_.end(),
            [](const Field& a, const Field& b) { return a.number < b.number; });
  for (std::size_t i = 0; i < type->fields_.size(); ++i) {
    Field& field = type->fields_[i];
    field.index = static_cast<std::int16_t>(i);
    if (field.number >= kDenseNumbers) continue;
    if (type->dense_.size() <= field.number) type->dense_.resize(field.number + 1, -1);
    type->dense_[field.number] = field.index;
  }
  Guard(type.get());
  return type;
}

namespace {

bool IsGuarded(Sensitive sensitive) {
  return sensitive == Sensitive::kYes || sensitive == Sensitive::kByLabel || sensitive == Sensitive::kKeysToo;
}

// Returns the type of the values of a field; nullptr when they are no messages.
const Descriptor* ValueType(const FieldDescriptor& field) {
  return field.is_map() ? field.message_type()->map_value()->message_type() : field.message_type();
}

bool HaveOneShape(const FieldDescriptor& a, const FieldDescriptor& b) {
  const Descriptor* type_a = ValueType(a);
  const Descriptor* type_b = ValueType(b);
  if (type_a == nullptr || type_b == nullptr) return type_a == type_b;
  return a.is_map() == b.is_map() && type_a->full_name() == type_b->full_name();
}

}  // namespace

// Returns true when a field of an embedded type is sensitive, or leads to what is.
bool Types::Hides(const FieldDescriptor& embedded) {
  if (IsGuarded(SensitivityOf(embedded))) return true;
  const Descriptor* type = ValueType(embedded);
  return type != nullptr && MayHoldSecrets(Get(*type));
}

// Holds the type against the embedded one of its name, field by field and by number: what is sensitive there is so in
// whatever a --schema makes of the same bytes. A field that leads to secrets there and to another type here is hidden,
// since the names and numbers below it say nothing about them.
void Types::Guard(Type* type) {
  const Descriptor* embedded = schema_->FindEmbedded(type->full_name_);
  const bool differs = embedded != nullptr && embedded != type->descriptor_;
  for (int i = 0; differs && i < embedded->field_count(); ++i) {
    const FieldDescriptor& theirs = *embedded->field(i);
    const Field* found = type->Find(static_cast<std::uint32_t>(theirs.number()));
    if (found == nullptr) {
      type->guards_unknown_ = type->guards_unknown_ || Hides(theirs);
      continue;
    }
    Field& ours = type->fields_[static_cast<std::size_t>(found->index)];
    const bool one_shape = HaveOneShape(*ours.descriptor, theirs);
    if (ours.sensitive == Sensitive::kNo) ours.sensitive = SensitivityOf(theirs);
    if (!one_shape && Hides(theirs)) ours.sensitive = Sensitive::kYes;
    if (!one_shape || ours.name != theirs.name()) ours.public_in_secret = false;
  }
  for (const Field& field : type->fields_) {
    type->guards_unknown_ = type->guards_unknown_ || IsGuarded(field.sensitive);
  }
}

namespace {

// Returns true when a message of the type may hold a secret itself, or anything.
bool HoldsSecrets(const Type& type) {
  const auto is_sensitive = [](const Field& field) { return field.sensitive != Sensitive::kNo; };
  return type.guards_unknown() || type.is_secret() || type.well_known() == WellKnown::kAny ||
         type.well_known() == WellKnown::kTypedStruct ||
         std::any_of(type.fields().begin(), type.fields().end(), is_sensitive);
}

}  // namespace

// Goes through the types below this one until the first secret; nearly every resource has one within a few steps.
bool Types::MayHoldSecrets(const Type& type) {
  if (const auto known = may_hold_secrets_.find(&type); known != may_hold_secrets_.end()) return known->second;
  std::vector<const Type*> open = {&type};
  absl::flat_hash_set<const Type*> seen = {&type};
  bool found = false;
  while (!found && !open.empty()) {
    const Type& at = *open.back();
    open.pop_back();
    found = HoldsSecrets(at);
    for (const Field& field : at.fields()) {
      if (field.kind == FieldKind::kMessage && seen.insert(&field.message()).second) open.push_back(&field.message());
    }
  }
  may_hold_secrets_.emplace(&type, found);
  return found;
}

Field Types::CompileField(const FieldDescriptor& descriptor) {
  Field field;
  field.number = static_cast<std::uint32_t>(descriptor.number());
  field.kind = KindOf(descriptor);
  field.sensitive = SensitivityOf(descriptor);
  field.public_in_secret = IsPublicInSecret(descriptor);
  field.repeated = descriptor.is_repeated();
  field.map = descriptor.is_map();
  field.has_presence = descriptor.has_presence();
  field.utf8 = field.kind == FieldKind::kString && Proto3(*descriptor.file());
  field.closed_enum = field.kind == FieldKind::kEnum && !Proto3(*descriptor.file());
  const auto* oneof = descriptor.real_containing_oneof();
  field.oneof = oneof == nullptr ? std::int16_t{-1} : static_cast<std::int16_t>(oneof->index());
  field.name = descriptor.name();
  field.json_name = descriptor.json_name();
  field.descriptor = &descriptor;
  field.types_ = this;
  return field;
}

// The values that share a number, as aliases do, stay in the order of their declaration: the first is the one to show.
const std::vector<EnumValue>& Types::Values(const EnumDescriptor& descriptor) {
  std::vector<EnumValue>& values = enums_[&descriptor];
  if (!values.empty()) return values;
  for (int i = 0; i < descriptor.value_count(); ++i) {
    values.push_back({descriptor.value(i)->number(), descriptor.value(i)->name()});
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const EnumValue& a, const EnumValue& b) { return a.number < b.number; });
  return values;
}

}  // namespace xdscope::wire
