#include "lib/config/message_reader.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "lib/schema/nearest.h"

namespace xdscope::config {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr char kPrefix[] = "type.googleapis.com";

std::string Below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

// Says what protobuf would refuse too, but with its line: names and kinds. Values are protobuf's to judge.
class Checker {
 public:
  Checker(std::string_view file, UnknownFields unknown) : file_(file), unknown_(unknown) {}

  absl::Status Message(const Value& value, const Descriptor& type, const std::string& path) const {
    // Well-known types have JSON forms of their own.
    if (type.full_name().starts_with("google.protobuf.")) return absl::OkStatus();
    if (value.is(Value::Kind::kNull)) return absl::OkStatus();
    if (!value.is(Value::Kind::kMap)) return Expected("a map", value, path);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const absl::Status status = Member(value.keys[i], value.items[i], type, path);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Member(const std::string& key, const Value& value, const Descriptor& type,
                      const std::string& path) const {
    const FieldDescriptor* field = Find(type, key);
    if (field == nullptr)
      return unknown_ == UnknownFields::kIgnore ? absl::OkStatus() : NoField(key, value, type, path);
    const std::string below = Below(path, key);
    if (value.is(Value::Kind::kNull) || field->is_map()) return absl::OkStatus();
    if (!field->is_repeated()) return One(value, *field, below);
    if (!value.is(Value::Kind::kList)) return Expected("a list", value, below);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const absl::Status status = One(value.items[i], *field, fmt::format("{}[{}]", below, i));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status One(const Value& value, const FieldDescriptor& field, const std::string& path) const {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return Message(value, *field.message_type(), path);
    if (value.is(Value::Kind::kMap) || value.is(Value::Kind::kList)) return Expected("one value", value, path);
    if (field.type() != FieldDescriptor::TYPE_STRING || value.is(Value::Kind::kText)) return absl::OkStatus();
    return Expected("text (in quotes)", value, path);
  }

  static const FieldDescriptor* Find(const Descriptor& type, const std::string& key) {
    const FieldDescriptor* field = type.FindFieldByName(key);
    if (field != nullptr) return field;
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->json_name() == key) return type.field(i);
    }
    return nullptr;
  }

  absl::Status Expected(std::string_view what, const Value& value, const std::string& path) const {
    return ErrorAt(file_, value.line, path, fmt::format("expected {}, not {}", what, KindName(value.kind)));
  }

  absl::Status NoField(const std::string& key, const Value& value, const Descriptor& type,
                       const std::string& path) const {
    std::vector<std::string> names;
    for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
    const std::string near = schema::NearestName(key, names);
    std::string what = fmt::format("{} has no field \"{}\"", type.full_name(), key);
    if (!near.empty()) what += fmt::format("; did you mean \"{}\"?", near);
    return ErrorAt(file_, value.line, path, what);
  }

  std::string_view file_;
  UnknownFields unknown_;
};

}  // namespace

absl::StatusOr<std::string> EncodeMessage(const Value& value, std::string_view full_name, const schema::Schema& schema,
                                          std::string_view file, const std::string& path, UnknownFields unknown) {
  const Descriptor* type = schema.FindMessage(full_name);
  if (type == nullptr) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("the schema has no {}", full_name));
  }
  const absl::Status checked = Checker(file, unknown).Message(value, *type, path);
  if (!checked.ok()) return checked;
  const std::unique_ptr<google::protobuf::util::TypeResolver> resolver(
      google::protobuf::util::NewTypeResolverForDescriptorPool(kPrefix, type->file()->pool()));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = unknown == UnknownFields::kIgnore;
  std::string bytes;
  const auto status = google::protobuf::util::JsonToBinaryString(
      resolver.get(), fmt::format("{}/{}", kPrefix, full_name), ToJson(value), &bytes, options);
  if (!status.ok()) return ErrorAt(file, value.line, path, status.message().ToString());
  return bytes;
}

}  // namespace xdscope::config
