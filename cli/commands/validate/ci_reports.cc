#include "cli/commands/validate/ci_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/validate/json_members.h"
#include "cli/commands/validate/text_report.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Severity;

using Escapes = std::initializer_list<std::pair<char, std::string_view>>;

std::string Escaped(std::string_view text, Escapes escapes) {
  std::string escaped;
  for (const char c : text) {
    const auto* row = std::find_if(escapes.begin(), escapes.end(), [c](const auto& pair) { return pair.first == c; });
    row == escapes.end() ? escaped.push_back(c) : static_cast<void>(escaped.append(row->second));
  }
  return escaped;
}

// ---- JUnit. XML has no control characters, so what comes from files is made printable first.

std::string Xml(std::string_view text) {
  return Escaped(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

// One case: a resource, or what is about none of them.
struct Case {
  std::string kind;
  std::string name;
  bool read = true;
  std::vector<const Finding*> findings = {};
};

std::vector<Case> CasesOf(const client::JudgedFile& file) {
  std::vector<Case> cases = {{.kind = "file", .name = file.name}};
  for (const client::JudgedResource& resource : file.resources) {
    cases.push_back({std::string(KindOf(resource.type_url)), resource.name, resource.read});
  }
  for (const Finding& finding : file.findings) {
    cases[finding.entry ? *finding.entry + 1 : 0].findings.push_back(&finding);
  }
  return cases;
}

bool Fails(const Case& one) {
  return std::ranges::any_of(one.findings,
                             [](const Finding* finding) { return finding->severity == Severity::kError; });
}

bool IsSkipped(const Case& one) {
  return !one.read && !Fails(one);
}

// A case has one failure, which tells all of its errors.
std::string CaseXml(const std::string& file, const Case& one) {
  std::string errors, rest, types;
  std::string_view first;
  for (const Finding* finding : one.findings) {
    const bool error = finding->severity == Severity::kError;
    (error ? errors : rest) += FindingText(file, *finding, false);
    if (error && first.empty()) first = finding->message;
    if (error && types.empty()) types = finding->rule;
  }
  std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\">\n",
                                Xml(format::Printable(one.kind)), Xml(format::Printable(one.name)));
  if (Fails(one)) {
    xml += fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n", Xml(format::Printable(first)),
                       Xml(types), Xml(errors));
  }
  if (IsSkipped(one)) xml += "      <skipped/>\n";
  if (!rest.empty()) xml += fmt::format("      <system-out>{}</system-out>\n", Xml(rest));
  return xml + "    </testcase>\n";
}

// ---- GitHub.

std::string GithubProperty(std::string_view text) {
  return Escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}});
}

std::string GithubCommand(std::string_view file, const Finding& finding) {
  const std::string_view word = finding.severity == Severity::kInfo ? "notice" : finding::WordOf(finding.severity);
  std::string place = fmt::format("file={}", GithubProperty(file));
  if (finding.position.line > 0) {
    place += fmt::format(",line={},col={}", finding.position.line, finding.position.column);
  }
  // The first line of the text says what the properties say; those below it are for the reader.
  std::string text = FindingText(file, finding, false);
  text = format::Printable(finding.message) + text.substr(text.find('\n'));
  while (text.ends_with('\n')) text.pop_back();
  return fmt::format("::{} {},title={}::{}\n", word, place, GithubProperty(finding.rule),
                     Escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}}));
}

// ---- GitLab.

std::string_view GitlabSeverity(Severity severity) {
  return severity == Severity::kError ? "major" : severity == Severity::kWarning ? "minor" : "info";
}

}  // namespace

std::string JunitReport(const ValidateResult& result) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const client::JudgedFile& file : result.files) {
    const std::vector<Case> cases = CasesOf(file);
    xml +=
        fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\">\n",
                    Xml(format::Printable(file.name)), cases.size(), std::ranges::count_if(cases, Fails),
                    std::ranges::count_if(cases, IsSkipped));
    for (const Case& one : cases) xml += CaseXml(file.name, one);
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::string GithubReport(const ValidateResult& result) {
  std::string text;
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) text += GithubCommand(file.name, finding);
  }
  return text + SummaryLine(result) + "\n";
}

std::string GitlabReport(const ValidateResult& result) {
  std::string text;
  format::Output out = OutputInto(&text);
  JsonMembers json(out, format::JsonWriter::Layout::kIndented);
  json.List();
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) {
      json.Object();
      json.Text("description", finding.message);
      json.Text("check_name", finding.rule);
      json.Text("fingerprint", Fingerprint(file.name, finding));
      json.Text("severity", GitlabSeverity(finding.severity));
      json.Object("location");
      json.Text("path", file.name);
      json.Object("lines");
      json.Number("begin", static_cast<std::size_t>(std::max(finding.position.line, 1)));
      json.EndObject();
      json.EndObject();
      json.EndObject();
    }
  }
  json.EndList();
  out.Append('\n');
  static_cast<void>(out.Flush());  // a string takes everything
  return text;
}

}  // namespace xdscope::cli
