#include "cli/commands/validate/json_report.h"

#include <variant>

#include "cli/args/version.h"
#include "cli/commands/validate/json_members.h"
#include "lib/finding/path.h"
#include "lib/format/text.h"

namespace xdscope::cli {
namespace {

using finding::Finding;
using finding::Path;
using format::JsonWriter;

// A path with the names that fields have in JSON.
std::string CamelText(const Path& path) {
  Path camel;
  for (const Path::Step& step : path.steps()) {
    if (const auto* field = std::get_if<Path::Field>(&step)) camel.AddField(format::CamelPath(field->name));
    if (const auto* index = std::get_if<Path::Index>(&step)) camel.AddIndex(index->value);
    if (const auto* key = std::get_if<Path::Key>(&step)) camel.AddKey(key->text);
  }
  return ToText(camel);
}

// Writes the parts of a report.
class Json : public JsonMembers {
 public:
  using JsonMembers::JsonMembers;

  void Place(finding::Position position) {
    if (position.line > 0) {
      Number("line", static_cast<std::size_t>(position.line));
      Number("column", static_cast<std::size_t>(position.column));
    } else if (position.column > 0) {
      Number("byte_offset", static_cast<std::size_t>(position.column - 1));
    }
  }

  void Resource(std::string_view type_url, std::string_view name) {
    if (type_url.empty()) return;
    Object("resource");
    Text("kind", KindOf(type_url));
    Text("name", name);
    Text("type_url", type_url);
    EndObject();
  }

  void Related(std::string_view file, const finding::Related& related) {
    List("related");
    Object();
    Text("file", related.file.empty() ? file : related.file);
    Place(related.position);
    Resource(related.type_url, related.resource);
    Optional("path", ToText(related.path));
    EndObject();
    EndList();
  }

  void One(std::string_view file, const Finding& finding) {
    Object();
    Text("id", finding.rule);
    Text("severity", finding::WordOf(finding.severity));
    Text("message", finding.message);
    Text("file", file);
    Place(finding.position);
    Resource(finding.type_url, finding.resource);
    Optional("path", ToText(finding.path));
    Optional("path_json", CamelText(finding.path));
    Optional("value", finding.value);
    Optional("rule", finding.option);
    Text("client", ClientOf(finding));
    Optional("effect", client::EffectOf(finding));
    Optional("help", finding.help);
    if (finding.related) Related(file, *finding.related);
    if (finding.more > 0) Number("more", finding.more);
    Text("fingerprint", Fingerprint(file, finding));
    EndObject();
  }

  void Head(const ValidateResult& result) {
    Text("version", kVersion);
    Text("api", result.api);
  }

  void Files(const ValidateResult& result) {
    List("files");
    for (const client::JudgedFile& file : result.files) {
      Object();
      Text("file", file.name);
      Number("resources", file.resources.size());
      Number("skipped", SkippedIn(file));
      EndObject();
    }
    EndList();
  }

  void Summary(const ValidateResult& result) {
    const Tally tally = TallyOf(result);
    Object("summary");
    Number("errors", tally.errors);
    Number("warnings", tally.warnings);
    Number("notes", tally.notes);
    Number("files", tally.files);
    Number("resources", tally.resources);
    Number("skipped", tally.skipped);
    EndObject();
  }
};

}  // namespace

std::string JsonReport(const ValidateResult& result) {
  std::string text;
  format::Output out = OutputInto(&text);
  Json json(out, JsonWriter::Layout::kIndented);
  json.Object();
  json.Head(result);
  json.Files(result);
  json.List("findings");
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) json.One(file.name, finding);
  }
  json.EndList();
  json.Summary(result);
  json.EndObject();
  out.Append('\n');
  static_cast<void>(out.Flush());  // a string takes everything
  return text;
}

std::string NdjsonReport(const ValidateResult& result) {
  std::string text;
  format::Output out = OutputInto(&text);
  for (const client::JudgedFile& file : result.files) {
    for (const Finding& finding : file.findings) {
      Json(out, JsonWriter::Layout::kCompact).One(file.name, finding);
      out.Append('\n');
    }
  }
  Json last(out, JsonWriter::Layout::kCompact);
  last.Object();
  last.Head(result);
  last.Summary(result);
  last.EndObject();
  out.Append('\n');
  static_cast<void>(out.Flush());
  return text;
}

}  // namespace xdscope::cli
