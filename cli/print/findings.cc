#include "cli/print/findings.h"

#include <fmt/format.h>

#include "lib/base/type_url.h"
#include "lib/files/version_hash.h"
#include "lib/finding/rules.h"
#include "lib/format/printable.h"

namespace xdscope::cli {

using finding::Finding;

std::string_view KindOf(std::string_view type_url) {
  const std::string_view name = base::MessageName(type_url);
  return name.substr(name.rfind('.') + 1);
}

std::string_view ClientOf(const Finding& finding) {
  const finding::Rule* const rule = finding::FindRule(finding.rule);
  const finding::Client client = rule == nullptr ? finding::Client::kBoth : rule->client;
  return client == finding::Client::kEnvoy ? "envoy" : client == finding::Client::kGrpc ? "grpc" : "both";
}

std::string Fingerprint(std::string_view file, const Finding& finding) {
  files::VersionHash hash;
  hash.Add(finding.rule);
  hash.Add(KindOf(finding.type_url));
  // A resource may move to another file; what is about no resource cannot.
  hash.Add(finding.type_url.empty() ? file : finding.resource);
  hash.Add(finding::ToText(finding.path));
  hash.Add(finding.value);
  return hash.Hex();
}

std::string PlaceText(std::string_view file, finding::Position position) {
  std::string place = format::Printable(file);
  if (position.line > 0) return fmt::format("{}:{}:{}", place, position.line, position.column);
  return position.column > 0 ? fmt::format("{}:@{:#x}", place, position.column - 1) : place;
}

std::string WhereText(std::string_view type_url, std::string_view resource, const finding::Path& path) {
  std::string where(KindOf(type_url));
  if (!resource.empty()) where += fmt::format(" \"{}\"", format::Printable(resource));
  if (path.empty()) return where;
  return fmt::format("{}{}{}", where, where.empty() ? "" : ": ", format::Printable(finding::ToTypedText(path)));
}

std::string FindingLine(std::string_view file, const Finding& finding) {
  std::string line = file.empty() ? std::string() : PlaceText(file, finding.position) + ": ";
  line += fmt::format("{}: ", finding::WordOf(finding.severity));
  const std::string where = WhereText(finding.type_url, finding.resource, finding.path);
  if (!where.empty()) line += where + ": ";
  line += fmt::format("{} [{}]", format::Printable(finding.message), finding.rule);
  if (finding.more > 0) line += fmt::format(" and {} more", finding.more);
  return line;
}

}  // namespace xdscope::cli
