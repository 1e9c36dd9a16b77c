#include "lib/config/encode_setting.h"

#include <fmt/format.h>

namespace xdscope::config {

absl::StatusOr<std::string> EncodeSetting(const Setting& setting, std::string_view full_name, encode::Unknown unknown,
                                          wire::Types& types) {
  const wire::Type* type = types.Find(full_name);
  if (type == nullptr) {
    return base::Error(absl::StatusCode::kNotFound, fmt::format("the schema has no {}", full_name));
  }
  encode::EncodeOptions options;
  options.spelling = encode::Spelling::kYaml;  // of equal keys the last one counts
  options.unknown = unknown;
  options.path = finding::ToText(setting.path());
  encode::Problems problems;
  std::string bytes;
  if (encode::Encode(setting.node(), *type, options, types, &problems, &bytes)) return bytes;
  const Document& document = setting.document();
  const encode::Problem* first = nullptr;
  for (const encode::Problem& problem : problems.all()) {
    if (problem.severity != encode::Severity::kError) continue;
    if (first == nullptr || problem.offset < first->offset) first = &problem;
  }
  if (first == nullptr) return setting.Error("cannot be read");  // more problems than there is room for
  return ErrorAt(document.file(), document.LineOf(first->offset), first->path, first->what);
}

}  // namespace xdscope::config
