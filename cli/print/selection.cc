#include "cli/print/selection.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"
#include "cli/print/findings.h"
#include "lib/finding/pgv_rules.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Rule;

bool Matches(std::string_view id, const std::string& pattern) {
  return fnmatch(pattern.c_str(), std::string(id).c_str(), 0) == 0;
}

bool MatchesAny(std::string_view id, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [id](const std::string& pattern) { return Matches(id, pattern); });
}

bool IsAbout(const Finding& finding, Selection::Client client) {
  const Rule* const rule = finding::FindRule(finding.rule);
  if (rule == nullptr || client == Selection::Client::kBoth || rule->client == finding::Client::kBoth) return true;
  return (rule->client == finding::Client::kGrpc) == (client == Selection::Client::kGrpc);
}

bool IsIgnored(const client::JudgedFile& file, const Finding& finding) {
  const auto line = file.ignored.find(finding.position.line);
  return line != file.ignored.end() && MatchesAny(finding.rule, line->second);
}

bool Counts(const client::JudgedFile& file, const Finding& finding, const Selection& selection) {
  if (finding.rule == finding::kUnreadableFileRule) return true;
  if (IsIgnored(file, finding)) return false;
  if (!selection.known.empty() && selection.known.contains(Fingerprint(file.name, finding))) return false;
  return IsAbout(finding, selection.client) && (selection.only.empty() || MatchesAny(finding.rule, selection.only)) &&
         !MatchesAny(finding.rule, selection.disabled);
}

}  // namespace

void Select(const Selection& selection, std::vector<client::JudgedFile>* files) {
  for (client::JudgedFile& file : *files) {
    std::erase_if(file.findings, [&](const Finding& finding) { return !Counts(file, finding, selection); });
  }
}

absl::Status CheckPatterns(std::string_view flag, const std::vector<std::string>& patterns) {
  std::vector<std::string_view> ids;
  for (const std::span<const Rule> rules : {finding::ReadingRules(), finding::ConfigRules(), finding::PgvRules()}) {
    for (const Rule& rule : rules) ids.push_back(rule.id);
  }
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(ids, [&pattern](std::string_view id) { return Matches(id, pattern); })) continue;
    return UsageError(fmt::format("--{} {}", flag, pattern),
                      fmt::format("no rule has such an id{}", DidYouMean(pattern, ids)));
  }
  return absl::OkStatus();
}

}  // namespace xdscope::cli
