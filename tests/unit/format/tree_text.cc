#include "tests/unit/format/tree_text.h"

namespace xdscope::format {

std::string TreeText(const encode::Node& node) {
  using encode::NodeKind;
  if (!node.valid()) return "nothing";
  const std::string text(node.text());
  switch (node.kind()) {
    case NodeKind::kNull:
      return "null";
    case NodeKind::kBool:
    case NodeKind::kNumber:
      return text;
    case NodeKind::kText:
      return "\"" + text + "\"";
    case NodeKind::kSymbol:
      return "<" + text + ">";
    case NodeKind::kList:
    case NodeKind::kMap:
      break;
  }
  const bool map = node.is(NodeKind::kMap);
  std::string all;
  for (encode::Children child(node); child.Next();) {
    all += all.empty() ? "" : ", ";
    if (map) all += std::string(child.key()) + ": ";
    all += TreeText(child.value());
  }
  return map ? "{" + all + "}" : "[" + all + "]";
}

}  // namespace xdscope::format
