#include "lib/config/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "lib/encode/findings.h"
#include "lib/format/json_reader.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::config {
namespace {

using encode::Node;
using encode::NodeKind;
using format::JsonReader;

// A larger text that begins like JSON and is none after all is refused as JSON: yaml-cpp takes a second per 10 MB.
constexpr std::size_t kMostToReadTwice = 1 << 20;

// How much of a JSON value is kept. A /config_dump is {"configs": [{"@type": …, "bootstrap": {…}}, …]}; each level of
// it has a kind of its own, and what does not lead to the bootstrap is read (it has to be JSON) but not kept.
enum class Keep : std::uint8_t { kAll, kDocument, kDumpEntries, kDumpEntry, kNothing };

// Returns how much is kept of a member or element, given how much is kept of the value around it.
Keep KeepBelow(Keep keep, std::string_view key) {
  switch (keep) {
    case Keep::kDocument:
      return key == "configs" ? Keep::kDumpEntries : Keep::kAll;
    case Keep::kDumpEntries:
      return Keep::kDumpEntry;
    case Keep::kDumpEntry:
      return key == "bootstrap" ? Keep::kAll : Keep::kNothing;
    case Keep::kAll:
    case Keep::kNothing:
      break;
  }
  return keep;
}

// Reads the next value without keeping it: a piece at a time, through `scratch`, so that its size costs no memory.
bool Skip(JsonReader& reader, encode::Tree* scratch) {
  const char next = reader.Peek();
  scratch->Clear();
  if (next != '{' && next != '[') return reader.Value(scratch);
  for (JsonReader::Steps steps(reader); steps.Next(scratch);) {
    if (!Skip(reader, scratch)) return false;
  }
  return reader.ok();
}

// Reads the next value into `tree`, or as much of it as is kept.
bool ReadJson(JsonReader& reader, Keep keep, encode::Tree* tree) {
  const char next = reader.Peek();
  const bool map = next == '{';
  if (keep == Keep::kNothing) {
    encode::Tree scratch;
    return Skip(reader, &scratch);
  }
  if (keep == Keep::kAll || (!map && next != '[')) return reader.Value(tree);
  tree->Open(map ? NodeKind::kMap : NodeKind::kList, reader.offset());
  for (JsonReader::Steps steps(reader); steps.Next(tree);) {
    const Keep below = KeepBelow(keep, steps.key());
    if (map && below != Keep::kNothing) tree->Key(steps.key(), steps.key_offset());
    if (!ReadJson(reader, below, tree)) return false;
  }
  if (reader.ok()) tree->Close();
  return reader.ok();
}

absl::Status ErrorOf(const Document& document, std::size_t offset, std::string_view what) {
  return ErrorAt(document.file(), document.LineOf(offset), "", what);
}

// Returns the first error of a text; OK when there is none.
absl::Status FirstError(const Document& document, const encode::Findings& findings) {
  for (const finding::Finding& finding : findings.all()) {
    if (finding.severity == finding::Severity::kError) return ErrorOf(document, finding.offset, finding.message);
  }
  return absl::OkStatus();
}

// JSON "by the letter": the reader takes what Envoy takes and makes a finding of each liberty, so any finding is an
// error here. An error proper goes first, because a liberty before it is rarely what went wrong.
absl::StatusOr<Document> ParseJson(std::string_view text, std::string_view file, Keep keep) {
  encode::Findings findings;
  JsonReader reader(text, &findings);
  encode::Tree tree;
  ReadJson(reader, keep, &tree);
  const bool more = reader.Peek() != 0;
  Document document(text, file, std::move(tree));
  const absl::Status error = FirstError(document, findings);
  if (!error.ok()) return error;
  if (!findings.all().empty()) return ErrorOf(document, findings.all()[0].offset, findings.all()[0].message);
  if (more) return ErrorOf(document, reader.offset(), "something stands behind the JSON");
  return document;
}

absl::StatusOr<Document> ParseYaml(std::string_view text, std::string_view file) {
  encode::Findings findings;
  format::YamlReader reader(text, &findings);
  encode::Tree tree, next;
  const bool found = reader.Next(&tree);
  const bool several = found && reader.Next(&next);
  Document document(text, file, std::move(tree));
  const absl::Status error = FirstError(document, findings);
  if (!error.ok()) return error;
  if (!document.root().valid()) return ErrorAt(file, 0, "", "is empty");
  if (several) return ErrorOf(document, next.root().offset(), "has more than one document");
  return document;
}

// Turns snake_case into lowerCamelCase, as protobuf's JSON does it.
std::string CamelCase(std::string_view snake_case) {
  std::string camel;
  bool upper = false;
  for (const char c : snake_case) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    upper = false;
  }
  return camel;
}

}  // namespace

Document::Document(std::string_view text, std::string_view file, encode::Tree tree)
    : file_(file), tree_(std::move(tree)) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_ends_.push_back(static_cast<std::uint32_t>(at));
  }
}

int Document::LineOf(std::size_t offset) const {
  return 1 + static_cast<int>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin());
}

namespace {

absl::StatusOr<Document> ParseJsonOrYaml(std::string_view text, std::string_view file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return ErrorAt(file, 0, "", "is empty");
  if (text[first] != '{' && text[first] != '[') return ParseYaml(text, file);
  absl::StatusOr<Document> json = ParseJson(text, file, Keep::kDocument);
  if (json.ok() || text.size() > kMostToReadTwice) return json;
  absl::StatusOr<Document> yaml = ParseYaml(text, file);
  return yaml.ok() ? std::move(yaml) : std::move(json);  // it looked like JSON: JSON's message is the better one
}

}  // namespace

absl::StatusOr<Document> ParseDocument(std::string_view text, std::string_view file) {
  try {
    return ParseJsonOrYaml(text, file);
  } catch (const std::bad_alloc&) {
    return ErrorAt(file, 0, "", "there is not enough memory to read it");
  }
}

absl::StatusOr<Document> ParseJson(std::string_view text, std::string_view file) {
  return ParseJson(text, file, Keep::kAll);
}

encode::Node FindBootstrap(const Document& document) {
  const Node configs = FindMember(document.root(), "configs");
  if (!configs.valid()) return document.root();
  for (encode::Children entry(configs); entry.Next();) {
    const Node bootstrap = FindMember(entry.value(), "bootstrap");
    if (bootstrap.valid()) return bootstrap;
  }
  return {};
}

encode::Node FindMember(const Node& map, std::string_view name) {
  Node found;
  if (!map.is(NodeKind::kMap)) return found;
  const std::string camel = CamelCase(name);
  for (encode::Children member(map); member.Next();) {
    if (member.key() == name || member.key() == camel) found = member.value();
  }
  return found.valid() && found.is(NodeKind::kNull) ? Node() : found;
}

bool IsNameOf(std::string_view key, std::string_view name) {
  return key == name || key == CamelCase(name);
}

absl::Status ErrorAt(std::string_view file, int line, std::string_view path, std::string_view what) {
  std::string where(file);
  if (line > 0) where += fmt::format(":{}", line);
  if (!path.empty()) where += fmt::format("{}{}", where.empty() ? "" : ": ", path);
  return base::Error(absl::StatusCode::kInvalidArgument,
                     where.empty() ? std::string(what) : fmt::format("{}: {}", where, what));
}

}  // namespace xdscope::config
