#include "lib/config/json_document.h"

#include "lib/config/tree_value.h"
#include "lib/format/json_reader.h"
#include "lib/format/position.h"

namespace xdscope::config {

absl::StatusOr<Value> ParseJson(std::string_view text, std::string_view file) {
  encode::Problems problems;
  format::JsonReader reader(text, &problems);
  encode::Tree tree;
  reader.Value(&tree);
  const bool more = reader.Peek() != 0;
  if (problems.all().empty() && !more) return ValueOf(tree.root(), text);
  const absl::Status error = FirstError(problems, text, file);
  if (!error.ok()) return error;
  const bool liberty = !problems.all().empty();
  const std::size_t at = liberty ? problems.all()[0].offset : reader.offset();
  return ErrorAt(file, format::PositionsOf(text, {&at, 1})[0].line, "",
                 liberty ? std::string_view(problems.all()[0].what) : "something stands behind the JSON");
}

}  // namespace xdscope::config
