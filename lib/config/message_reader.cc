#include "lib/config/message_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "lib/config/tree_value.h"

namespace xdscope::config {
namespace {

// The error that stands first in the text; its offset is a line.
absl::Status FirstInText(const encode::Problems& problems, std::string_view file) {
  const encode::Problem* first = nullptr;
  for (const encode::Problem& problem : problems.all()) {
    if (problem.severity != encode::Severity::kError) continue;
    if (first == nullptr || problem.offset < first->offset) first = &problem;
  }
  if (first == nullptr) return ErrorAt(file, 0, "", "is no such message");
  return ErrorAt(file, static_cast<int>(first->offset), first->path, first->what);
}

}  // namespace

absl::StatusOr<std::string> EncodeMessage(const Value& value, std::string_view full_name, const schema::Schema& schema,
                                          std::string_view file, const std::string& path, UnknownFields unknown) {
  wire::Types types(schema);
  const wire::Type* type = types.Find(full_name);
  if (type == nullptr) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("the schema has no {}", full_name));
  }
  encode::Tree tree;
  AddToTree(value, &tree);
  encode::EncodeOptions options;
  options.spelling = encode::Spelling::kYaml;  // of equal keys the last one counts
  options.unknown = unknown == UnknownFields::kIgnore ? encode::Unknown::kIgnore : encode::Unknown::kRefuse;
  options.path = path;
  encode::Problems problems;
  std::string bytes;
  if (!encode::Encode(tree.root(), *type, options, types, &problems, &bytes)) return FirstInText(problems, file);
  return bytes;
}

}  // namespace xdscope::config
