#include "cli/commands/validate/result.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/print/words.h"

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

std::string SummaryLine(const ValidateResult& result) {
  const Tally tally = TallyOf(result);
  std::string counts = tally.errors + tally.warnings == 0 ? "no errors"
                                                          : fmt::format("{}, {}", CountWords(tally.errors, "error"),
                                                                        CountWords(tally.warnings, "warning"));
  if (tally.notes > 0) counts += fmt::format(", {}", CountWords(tally.notes, "note"));
  return fmt::format("{} in {} ({}, {} skipped); API {}", counts, CountWords(tally.files, result.unit),
                     CountWords(tally.resources, "resource"), tally.skipped, result.api);
}

}  // namespace xdscope::cli
