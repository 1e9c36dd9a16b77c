#include "lib/wire/type.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>

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

const Type& Types::Get(const Descriptor& descriptor) {
  std::unique_ptr<Type>& type = types_[&descriptor];
  if (type == nullptr) type = Compile(descriptor);
  return *type;
}

// Finds a field by its number through an array, as nearly all messages number their fields from 1 on; the numbers above
// the array, of extensions and the like, are few and searched. Types refer to one another, in circles too, so that the
// type of a field is compiled when somebody first goes there.
std::unique_ptr<Type> Types::Compile(const Descriptor& descriptor) {
  auto type = std::make_unique<Type>();
  type->full_name_ = descriptor.full_name();
  type->well_known_ = WellKnownOf(type->full_name_);
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
  return type;
}

Field Types::CompileField(const FieldDescriptor& descriptor) {
  Field field;
  field.number = static_cast<std::uint32_t>(descriptor.number());
  field.kind = KindOf(descriptor);
  field.sensitive = SensitivityOf(descriptor);
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
