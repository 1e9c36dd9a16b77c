#include "lib/config/yaml_document.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace xdscope::config {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxValues = 500'000;

bool IsWholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  return text[digits] != '0' || text.size() == digits + 1;  // JSON has no leading zeros
}

// As Envoy types a plain scalar. Other numbers stay text, which protobuf's JSON takes for every numeric field.
void SetPlain(const YAML::Node& node, Value* value) {
  bool flag = false;
  if (YAML::convert<bool>::decode(node, flag)) {
    value->kind = Value::Kind::kBool;
    value->text = flag ? "true" : "false";
    return;
  }
  value->text = node.Scalar();
  value->kind = IsWholeNumber(value->text) ? Value::Kind::kNumber : Value::Kind::kText;
}

// Copies yaml-cpp's tree. `left` values may still be made: an alias costs what it stands for.
class Copier {
 public:
  explicit Copier(std::string_view file) : file_(file) {}

  absl::Status Copy(const YAML::Node& node, int depth, Value* value) {
    value->line = node.Mark().line + 1;
    if (depth > kMaxDepth) return ErrorAt(file_, value->line, "", "nested too deep");
    if (left_-- == 0) return ErrorAt(file_, value->line, "", "has too many values");
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return absl::OkStatus();
      case YAML::NodeType::Scalar:
        SetScalar(node, value);
        return absl::OkStatus();
      case YAML::NodeType::Sequence:
        return CopyList(node, depth, value);
      case YAML::NodeType::Map:
        return CopyMap(node, depth, value);
    }
    return absl::OkStatus();
  }

 private:
  // yaml-cpp marks quoted scalars with the tag "!".
  static void SetScalar(const YAML::Node& node, Value* value) {
    if (node.Tag() == "?" || node.Tag().empty()) {
      SetPlain(node, value);
    } else {
      value->kind = Value::Kind::kText;
      value->text = node.Scalar();
    }
  }

  absl::Status CopyList(const YAML::Node& node, int depth, Value* value) {
    value->kind = Value::Kind::kList;
    for (const YAML::Node& item : node) {
      const absl::Status status = Copy(item, depth + 1, &value->items.emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status CopyMap(const YAML::Node& node, int depth, Value* value) {
    value->kind = Value::Kind::kMap;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) return ErrorAt(file_, entry.first.Mark().line + 1, "", "a key must be text");
      value->keys.push_back(entry.first.Scalar());
      const absl::Status status = Copy(entry.second, depth + 1, &value->items.emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::string_view file_;
  std::size_t left_ = kMaxValues;
};

}  // namespace

absl::StatusOr<Value> ParseYaml(std::string_view text, std::string_view file) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.empty()) return ErrorAt(file, 0, "", "is empty");
    if (documents.size() > 1) return ErrorAt(file, documents[1].Mark().line + 1, "", "has more than one document");
    Value value;
    const absl::Status status = Copier(file).Copy(documents[0], 0, &value);
    if (!status.ok()) return status;
    return value;
  } catch (const YAML::Exception& error) {
    return ErrorAt(file, error.mark.line + 1, "", error.msg);
  }
}

}  // namespace xdscope::config
