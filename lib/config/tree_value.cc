#include "lib/config/tree_value.h"

#include <algorithm>
#include <vector>

#include "lib/format/position.h"

namespace xdscope::config {
namespace {

using encode::Node;
using encode::NodeKind;

Value::Kind KindOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNull:
      return Value::Kind::kNull;
    case NodeKind::kBool:
      return Value::Kind::kBool;
    case NodeKind::kNumber:
      return Value::Kind::kNumber;
    case NodeKind::kText:
    case NodeKind::kSymbol:
      return Value::Kind::kText;
    case NodeKind::kList:
      return Value::Kind::kList;
    case NodeKind::kMap:
      return Value::Kind::kMap;
  }
  return Value::Kind::kNull;
}

NodeKind KindOf(Value::Kind kind) {
  constexpr NodeKind kKinds[] = {NodeKind::kNull, NodeKind::kBool, NodeKind::kNumber,
                                 NodeKind::kText, NodeKind::kList, NodeKind::kMap};
  return kKinds[static_cast<std::size_t>(kind)];
}

class Converter {
 public:
  explicit Converter(std::string_view text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      ends_.push_back(at);
  }

  Value Convert(const Node& node, int depth, bool is_dump) const {
    Value value;
    value.kind = KindOf(node.kind());
    value.line = 1 + static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), node.offset()) - ends_.begin());
    value.text = node.text();
    for (encode::Children child(node); child.Next();) {
      if (is_dump && depth == 1 && IsDumpWithoutSettings(child.value())) continue;
      if (node.is(NodeKind::kMap)) value.keys.emplace_back(child.key());
      value.items.push_back(Convert(child.value(), depth + 1, depth == 0 ? child.key() == "configs" : is_dump));
    }
    return value;
  }

 private:
  static bool IsDumpWithoutSettings(const Node& entry) {
    const Node type = entry.Find("@type");
    return type.valid() && !type.text().ends_with("BootstrapConfigDump");
  }

  std::vector<std::size_t> ends_;  // of lines
};

}  // namespace

Value ValueOf(const Node& root, std::string_view text) {
  return Converter(text).Convert(root, 0, false);
}

void AddToTree(const Value& value, encode::Tree* tree) {
  const auto line = static_cast<std::size_t>(value.line);
  const NodeKind kind = KindOf(value.kind);
  if (kind != NodeKind::kList && kind != NodeKind::kMap) return tree->Scalar(kind, value.text, line);
  tree->Open(kind, line);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (kind == NodeKind::kMap) tree->Key(value.keys[i], static_cast<std::size_t>(value.items[i].line));
    AddToTree(value.items[i], tree);
  }
  tree->Close();
}

absl::Status FirstError(const encode::Problems& problems, std::string_view text, std::string_view file) {
  for (const encode::Problem& problem : problems.all()) {
    if (problem.severity != encode::Severity::kError) continue;
    return ErrorAt(file, format::PositionsOf(text, {&problem.offset, 1})[0].line, "", problem.what);
  }
  return absl::OkStatus();
}

}  // namespace xdscope::config
