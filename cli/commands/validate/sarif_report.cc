#include <fmt/format.h>

#include <map>
#include <string_view>

#include "cli/args/version.h"
#include "cli/commands/validate/ci_reports.h"
#include "cli/commands/validate/json_members.h"
#include "lib/finding/path.h"
#include "lib/finding/rules.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Severity;

std::string_view Level(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

// Returns the name of a file as a URI reference: relative as it was typed, "file:///…" where it begins with a slash.
std::string UriOf(std::string_view file) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@";
  std::string uri = file.starts_with('/') ? "file://" : "";
  while (file.starts_with("./")) file.remove_prefix(2);
  for (const char c : file) {
    uri += kPlain.find(c) != std::string_view::npos ? std::string(1, c)
                                                    : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

class Sarif : public JsonMembers {
 public:
  using JsonMembers::JsonMembers;

  void Rules(const std::map<std::string_view, std::size_t>& indexes) {
    List("rules");
    for (const auto& [id, index] : indexes) {
      const finding::Rule* const rule = finding::FindRule(id);
      Object();
      Text("id", id);
      if (rule != nullptr) {
        Said("shortDescription", rule->text);
        Said("fullDescription", rule->about.empty() ? rule->text : rule->about);
        Said("help", rule->effect.empty() ? rule->text : rule->effect);
        Object("defaultConfiguration");
        Text("level", Level(rule->severity));
        EndObject();
      }
      EndObject();
    }
    EndList();
  }

  void Result(std::string_view file, const Finding& finding, std::size_t rule) {
    Object();
    Text("ruleId", finding.rule);
    Number("ruleIndex", rule);
    Text("level", Level(finding.severity));
    Said("message", finding.help.empty() ? finding.message : fmt::format("{}; {}", finding.message, finding.help));
    List("locations");
    Object();
    Physical(file, finding.position);
    if (!finding.type_url.empty()) {
      List("logicalLocations");
      Object();
      Text("fullyQualifiedName",
           fmt::format("{} \"{}\": {}", KindOf(finding.type_url), finding.resource, ToText(finding.path)));
      EndObject();
      EndList();
    }
    EndObject();
    EndList();
    if (finding.related) Related(file, *finding.related);
    Object("partialFingerprints");
    Text("xdscope/v1", Fingerprint(file, finding));
    EndObject();
    EndObject();
  }

 private:
  void Said(std::string_view key, std::string_view text) {
    Object(key);
    Text("text", text);
    EndObject();
  }

  void Physical(std::string_view file, finding::Position position) {
    Object("physicalLocation");
    Object("artifactLocation");
    Text("uri", UriOf(file));
    EndObject();
    if (position.line > 0) {
      Object("region");
      Number("startLine", static_cast<std::size_t>(position.line));
      Number("startColumn", static_cast<std::size_t>(position.column));
      EndObject();
    } else if (position.column > 0) {
      Object("region");
      Number("byteOffset", static_cast<std::size_t>(position.column - 1));
      Number("byteLength", 1);
      EndObject();
    }
    EndObject();
  }

  void Related(std::string_view file, const finding::Related& related) {
    List("relatedLocations");
    Object();
    Physical(related.file.empty() ? file : related.file, related.position);
    Said("message", fmt::format("{} \"{}\": {}", KindOf(related.type_url), related.resource, ToText(related.path)));
    EndObject();
    EndList();
  }
};

}  // namespace

std::string SarifReport(const ValidateResult& result) {
  std::map<std::string_view, std::size_t> rules;
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) rules.emplace(finding.rule, 0);
  }
  std::size_t next = 0;
  for (auto& [id, index] : rules) index = next++;
  std::string text;
  format::Output out = OutputInto(&text);
  Sarif sarif(out, format::JsonWriter::Layout::kIndented);
  sarif.Object();
  sarif.Text("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  sarif.Text("version", "2.1.0");
  sarif.List("runs");
  sarif.Object();
  sarif.Object("tool");
  sarif.Object("driver");
  sarif.Text("name", "xdscope");
  sarif.Text("version", kVersion);
  sarif.Rules(rules);
  sarif.EndObject();
  sarif.EndObject();
  sarif.Text("columnKind", "unicodeCodePoints");
  sarif.List("results");
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) sarif.Result(file.name, finding, rules[finding.rule]);
  }
  sarif.EndList();
  sarif.EndObject();
  sarif.EndList();
  sarif.EndObject();
  out.Append('\n');
  static_cast<void>(out.Flush());  // a string takes everything
  return text;
}

}  // namespace xdscope::cli
