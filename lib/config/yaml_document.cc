#include "lib/config/yaml_document.h"

#include "lib/config/tree_value.h"
#include "lib/format/position.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::config {

absl::StatusOr<Value> ParseYaml(std::string_view text, std::string_view file) {
  encode::Problems problems;
  format::YamlReader reader(text, &problems);
  encode::Tree tree, more;
  const bool found = reader.Next(&tree);
  const bool several = found && reader.Next(&more);
  const absl::Status error = FirstError(problems, text, file);
  if (!error.ok()) return error;
  if (!found) return ErrorAt(file, 0, "", "is empty");
  if (!several) return ValueOf(tree.root(), text);
  const std::size_t at = more.root().offset();
  return ErrorAt(file, format::PositionsOf(text, {&at, 1})[0].line, "", "has more than one document");
}

}  // namespace xdscope::config
