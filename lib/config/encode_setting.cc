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
  options.path = setting.path();
  encode::Findings findings;
  std::string bytes;
  if (encode::Encode(setting.node(), *type, options, types, &findings, &bytes)) return bytes;
  const Document& document = setting.document();
  const finding::Finding* first = nullptr;
  for (const finding::Finding& finding : findings.all()) {
    if (finding.severity != finding::Severity::kError) continue;
    if (first == nullptr || finding.offset < first->offset) first = &finding;
  }
  if (first == nullptr) return setting.Error("cannot be read");  // more findings than there is room for
  return ErrorAt(document.file(), document.LineOf(first->offset), finding::ToText(first->path), first->message);
}

}  // namespace xdscope::config
