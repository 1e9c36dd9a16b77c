#include "cli/commands/validate/text_report.h"

#include <fmt/format.h>

#include "lib/finding/path.h"
#include "lib/format/colors.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Severity;

constexpr std::string_view kGap = "      ";  // between two facts on one line

std::string_view ColorOf(Severity severity) {
  return severity == Severity::kError     ? format::kRemovedColor
         : severity == Severity::kWarning ? format::kChangedColor
                                          : format::kNumberColor;
}

std::string Colored(std::string_view text, std::string_view code, bool color) {
  return color ? fmt::format("{}{}{}", code, text, format::kPlainColor) : std::string(text);
}

std::string OtherPlace(std::string_view file, const Finding& finding) {
  const finding::Related& other = *finding.related;
  const bool same =
      other.resource == finding.resource && (other.type_url.empty() || other.type_url == finding.type_url);
  const std::string where =
      same ? WhereText({}, {}, other.path) : WhereText(other.type_url, other.resource, other.path);
  return fmt::format("other: {} {}", PlaceText(other.file.empty() ? file : other.file, other.position), where);
}

// Adds a line of facts, those that there are.
void AddLine(std::string* text, const std::string& first, const std::string& second) {
  if (first.empty() && second.empty()) return;
  text->append(fmt::format("  {}{}{}\n", first, first.empty() || second.empty() ? "" : kGap, second));
}

}  // namespace

std::string FindingText(std::string_view file, const Finding& finding, bool color) {
  std::string text = fmt::format("{}: {}: {} [{}]\n", PlaceText(file, finding.position),
                                 Colored(finding::WordOf(finding.severity), ColorOf(finding.severity), color),
                                 format::Printable(finding.message), finding.rule);
  const std::string at = WhereText(finding.type_url, finding.resource, finding.path);
  AddLine(&text, at.empty() ? "" : "at " + at, finding.related ? OtherPlace(file, finding) : "");
  AddLine(&text, finding.value.empty() ? "" : "value: " + format::Printable(finding.value),
          finding.option.empty() ? "" : "rule: " + format::Printable(finding.option));
  const std::string effect = client::EffectOf(finding);
  AddLine(&text, effect.empty() ? "" : "who: " + effect, "");
  AddLine(&text, finding.help.empty() ? "" : "help: " + format::Printable(finding.help), "");
  if (finding.more > 0) text += fmt::format("  and {} more of {} in this file\n", finding.more, finding.rule);
  return text;
}

std::string TextReport(const ValidateResult& result, bool color, bool summary) {
  std::string text;
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) text += FindingText(file.name, finding, color);
  }
  if (summary) text += SummaryLine(result) + "\n";
  return text;
}

}  // namespace xdscope::cli
