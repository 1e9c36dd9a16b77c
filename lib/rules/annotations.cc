#include "lib/rules/annotations.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "lib/rules/options.h"

namespace xdscope::rules {
namespace {

using encode::Visited;
using google::protobuf::EnumDescriptor;

// The numbers of the annotations among the options.
constexpr std::uint32_t kDisallowedField = 189503207;  // envoy.annotations.disallowed_by_default
constexpr std::uint32_t kDisallowedValue = 70100853;   // envoy.annotations.disallowed_by_default_enum
constexpr std::uint32_t kXdsStatus = 226829418;        // xds.annotations.v3.{field,message,file}_status
constexpr std::uint32_t kUdpaFileStatus = 222707719;   // udpa.annotations.file_status
constexpr std::uint32_t kInProgress = 1;               // of these messages: work_in_progress

bool IsInProgress(std::string_view options, std::uint32_t status) {
  return NumberOption(BytesOption(options, status), kInProgress) != 0;
}

bool IsFileInProgress(const google::protobuf::FileDescriptor& file) {
  const std::string options = OptionsOf(file);
  return IsInProgress(options, kXdsStatus) || IsInProgress(options, kUdpaFileStatus);
}

bool Contains(const std::vector<std::int32_t>& numbers, std::int32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

FieldAnnotations AnnotationsOf(const google::protobuf::FieldDescriptor& field) {
  const std::string options = OptionsOf(field);
  return {field.options().deprecated(), NumberOption(options, kDisallowedField) != 0,
          IsInProgress(options, kXdsStatus)};
}

bool IsInProgress(const google::protobuf::Descriptor& message) {
  return IsInProgress(OptionsOf(message), kXdsStatus) || IsFileInProgress(*message.file());
}

bool IsDisallowed(const google::protobuf::EnumValueDescriptor& value) {
  return NumberOption(OptionsOf(value), kDisallowedValue) != 0;
}

Annotations::Row Annotations::CompileField(const wire::Field& field) {
  Row row = {&field, AnnotationsOf(*field.descriptor), {}, {}};
  if (field.kind != wire::FieldKind::kEnum) return row;
  const EnumDescriptor& values = *field.descriptor->enum_type();
  for (int i = 0; i < values.value_count(); ++i) {
    const auto& value = *values.value(i);
    if (value.options().deprecated()) row.deprecated_values.push_back(value.number());
    if (IsDisallowed(value)) row.disallowed_values.push_back(value.number());
  }
  return row;
}

Annotations::Table Annotations::Compile(const wire::Type& type) {
  Table table;
  table.in_progress = IsInProgress(type.descriptor());
  for (const wire::Field& field : type.fields()) {
    Row row = CompileField(field);
    const bool plain = !row.of_field.deprecated && !row.of_field.disallowed && !row.of_field.in_progress &&
                       row.deprecated_values.empty() && row.disallowed_values.empty();
    if (!plain) table.rows.push_back(std::move(row));
  }
  return table;
}

const Annotations::Table& Annotations::TableOf(const wire::Type& type) {
  if (const auto known = tables_.find(&type); known != tables_.end()) return *known->second;
  return *tables_.emplace(&type, std::make_unique<Table>(Compile(type))).first->second;
}

// A value that is disallowed may be the default of its enum: then a field that is not set has it too.
void Annotations::Check(const Visited& at, Context& context) {
  const Table& table = TableOf(at.message.type());
  if (table.in_progress) {
    context.Add("XDS-V132", {at}, fmt::format("{} is work in progress", at.message.type().full_name()));
  }
  const std::span<const wire::Present> known = at.fields->known();
  auto present = known.begin();
  for (const Row& row : table.rows) {
    while (present != known.end() && present->field->number < row.field->number) ++present;
    if (present != known.end() && present->field == row.field) {
      Used(at, row, *present, context);
    } else if (!row.field->repeated && !row.field->has_presence && Contains(row.disallowed_values, 0)) {
      Value({at, row.field}, row, 0, context);
    }
  }
}

void Annotations::Used(const Visited& at, const Row& row, const wire::Present& present, Context& context) {
  const std::string_view name = row.field->name;
  if (row.of_field.disallowed) {
    context.Add("XDS-V131", {at, row.field}, fmt::format("{} is deprecated, and not allowed by default", name));
  } else if (row.of_field.deprecated) {
    context.Add("XDS-V130", {at, row.field}, fmt::format("{} is deprecated", name));
  }
  if (row.of_field.in_progress) context.Add("XDS-V132", {at, row.field}, fmt::format("{} is work in progress", name));
  if (row.deprecated_values.empty() && row.disallowed_values.empty()) return;
  std::size_t index = 0;
  for (wire::Elements elements(present); elements.Next(); ++index) {
    const Place place = {at, row.field, row.field->repeated ? std::optional(index) : std::nullopt};
    Value(place, row, static_cast<std::int32_t>(elements.value().AsInt()), context);
  }
}

void Annotations::Value(const Place& place, const Row& row, std::int32_t number, Context& context) {
  const std::string_view value = row.field->EnumName(number);
  if (Contains(row.disallowed_values, number)) {
    context.Add("XDS-V131", place, fmt::format("the value {} is deprecated, and not allowed by default", value));
  } else if (Contains(row.deprecated_values, number)) {
    context.Add("XDS-V130", place, fmt::format("the value {} is deprecated", value));
  }
}

}  // namespace xdscope::rules
