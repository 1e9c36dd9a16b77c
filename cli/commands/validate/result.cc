#include "cli/commands/validate/result.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/print/words.h"
#include "lib/base/type_url.h"
#include "lib/files/version_hash.h"
#include "lib/finding/rules.h"

namespace xdscope::cli {

using finding::Finding;
using finding::Severity;

std::size_t SkippedIn(const client::JudgedFile& file) {
  return static_cast<std::size_t>(
      std::ranges::count_if(file.resources, [](const client::JudgedResource& resource) { return !resource.read; }));
}

Tally TallyOf(const ValidateResult& result) {
  Tally tally;
  for (const client::JudgedFile& file : result.files) {
    ++tally.files;
    tally.resources += file.resources.size();
    tally.skipped += SkippedIn(file);
    for (const Finding& finding : file.findings) {
      std::size_t& count = finding.severity == Severity::kError     ? tally.errors
                           : finding.severity == Severity::kWarning ? tally.warnings
                                                                    : tally.notes;
      count += 1 + finding.more;
    }
  }
  return tally;
}

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

std::string SummaryLine(const ValidateResult& result) {
  const Tally tally = TallyOf(result);
  std::string counts = tally.errors + tally.warnings == 0 ? "no errors"
                                                          : fmt::format("{}, {}", CountWords(tally.errors, "error"),
                                                                        CountWords(tally.warnings, "warning"));
  if (tally.notes > 0) counts += fmt::format(", {}", CountWords(tally.notes, "note"));
  return fmt::format("{} in {} ({}, {} skipped); API {}", counts, CountWords(tally.files, "file"),
                     CountWords(tally.resources, "resource"), tally.skipped, result.api);
}

}  // namespace xdscope::cli
