#include "lib/format/read.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/finding/reading_rules.h"
#include "lib/format/collector.h"
#include "lib/format/json_reader.h"
#include "lib/format/position.h"
#include "lib/format/text_reader.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::format {
namespace {

using encode::Node;
using encode::NodeKind;
using finding::Severity;

// "resources[3]".
finding::Path ResourcePath(std::size_t index) {
  return std::move(finding::Path().AddField("resources").AddIndex(index));
}

// "[3]": an element of a list that is the whole document.
finding::Path ElementPath(std::size_t index) {
  return std::move(finding::Path().AddIndex(index));
}

bool EndsWith(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  text.remove_prefix(text.size() - lower.size());
  return std::equal(text.begin(), text.end(), lower.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

// Takes a `resources` that is a map for its only element. Returns false when there is none such.
bool TakeSingleResource(encode::Tree* tree, Collector* collector, std::size_t errors) {
  bool found = false;
  for (encode::Children member(tree->root()); member.Next();) {
    const Node value = member.value();
    if (member.key() != "resources" || !value.is(NodeKind::kMap)) continue;
    collector->Say(Severity::kWarning, finding::kListExpectedRule, value.offset(),
                   finding::Path().AddField("resources"), "expected a list; a map is taken as its only element");
    collector->Element(value, ListOf::kAnys, ResourcePath(0), errors);
    tree->Hide(member);
    found = true;
  }
  return found;
}

// Reads JSON resource by resource: only one at a time is in memory as a tree, which is several times as large as its
// text. A document's first byte tells a list from a map, but not a response from a bare resource: the
// key that tells them apart ("@type", "version_info") may stand behind `resources`, and a resource may have a field of
// that name. So a map is read as a response at first; when its other keys say that it is none, findings and resources
// of that attempt are taken back and the map is read a second time, whole.
class JsonFile {
 public:
  JsonFile(std::string_view text, encode::Findings* findings, Collector* collector)
      : reader_(text, findings), findings_(*findings), collector_(*collector) {}

  void Read() {
    if (reader_.Peek() == 0) {
      if (reader_.ok()) collector_.Say(Severity::kError, finding::kSyntaxRule, 0, {}, "is empty");
      return;
    }
    for (bool first = true; reader_.Peek() != 0; first = false) {
      if (!first) {
        collector_.Say(Severity::kError, finding::kSeveralDocumentsRule, reader_.offset(), {},
                       "extra document: a JSON file has one");
      }
      collector_.BeginDocument(encode::Spelling::kJson);
      Document();
    }
  }

 private:
  void Document() {
    const char next = reader_.Peek();
    if (next == '[') return List(ListOf::kBareResources);
    if (next == '{') return Map();
    encode::Tree tree;
    const std::size_t errors = findings_.errors();
    if (reader_.Value(&tree)) collector_.Root(tree.root(), false, errors);
  }

  void List(ListOf list) {
    std::size_t index = 0;
    encode::Tree tree;
    for (JsonReader::Steps steps(reader_); steps.Next(&tree); ++index) {
      tree.Clear();
      const std::size_t errors = findings_.errors();
      if (reader_.Value(&tree))
        collector_.Element(tree.root(), list, list == ListOf::kAnys ? ResourcePath(index) : ElementPath(index), errors);
    }
  }

  // Takes `resources` out element by element, unless the map turns out to be a resource with a field of that name: then
  // it goes back to where the map began. Twice is the most that a text is read.
  void Map() {
    const JsonReader begin = reader_;
    const encode::Findings::Mark findings = findings_.mark();
    const Collector::Mark resources = collector_.mark();
    encode::Tree tree;
    if (ReadMap(&tree, true) || !reader_.ok()) return;
    reader_ = begin;
    findings_.ReturnTo(findings);
    collector_.ReturnTo(resources);
    ReadMap(&tree, false);
  }

  // Returns false when `resources` should have stayed in the tree.
  bool ReadMap(encode::Tree* tree, bool take_resources) {
    const std::size_t errors = findings_.errors();
    bool has_resources = false;
    tree->Clear();
    tree->Open(NodeKind::kMap, reader_.offset());
    for (JsonReader::Steps steps(reader_); steps.Next(tree);) {
      if (take_resources && steps.key() == "resources" && reader_.Peek() == '[') {
        if (has_resources) collector_.SayTwice(steps.key_offset());
        has_resources = true;
        List(ListOf::kAnys);
        continue;
      }
      tree->Key(steps.key(), steps.key_offset());
      const std::uint32_t row = tree->next();
      if (!reader_.Value(tree)) return true;
      if (steps.key() == "@type") take_resources = take_resources && Collector::IsResponseUrl(tree->NodeAt(row));
    }
    if (!reader_.ok()) return true;
    tree->Close();
    const bool response = collector_.MayBeResponse(tree->root());
    if (!response && has_resources) return false;
    const bool single = response && TakeSingleResource(tree, &collector_, errors);
    collector_.Root(tree->root(), has_resources || single, errors);
    return true;
  }

  JsonReader reader_;
  encode::Findings& findings_;
  Collector& collector_;
};

// Reads a document that is in memory as a tree, as yaml-cpp's events give it whole: aliases may refer to anything
// before them, so no resource can be let go before the document ends. `resources` goes element by element all the same
// and is then hidden, so that the rest of a response is encoded without its resources.
void ReadTree(encode::Tree* tree, std::size_t errors, Collector* collector, encode::Findings* findings) {
  const Node root = tree->root();
  if (root.is(NodeKind::kList)) {
    std::size_t index = 0;
    for (encode::Children element(root); element.Next(); ++index) {
      collector->Element(element.value(), ListOf::kBareResources, ElementPath(index), findings->errors());
    }
    return;
  }
  bool has_resources = false;
  const bool response = collector->MayBeResponse(root);
  for (encode::Children member(root); response && member.Next();) {
    const Node value = member.value();
    if (member.key() != "resources" || !value.is(NodeKind::kList)) continue;
    if (std::exchange(has_resources, true)) collector->SayTwice(member.offset());
    std::size_t index = 0;
    for (encode::Children element(value); element.Next(); ++index) {
      collector->Element(element.value(), ListOf::kAnys, ResourcePath(index), findings->errors());
    }
    tree->Hide(member);
  }
  if (response) has_resources = TakeSingleResource(tree, collector, findings->errors()) || has_resources;
  collector->Root(root, has_resources, has_resources ? findings->errors() : errors);
}

// Reads all documents of a file. Envoy reads the first only, so further ones are worth a warning; empty ones do not
// count.
void ReadYaml(std::string_view text, encode::Findings* findings, Collector* collector) {
  YamlReader reader(text, findings);
  encode::Tree tree;
  bool empty = true;
  for (std::size_t errors = 0; reader.Next(&tree); errors = findings->errors()) {
    if (!tree.root().valid() || tree.root().is(NodeKind::kNull)) continue;
    if (!empty) {
      collector->Say(Severity::kWarning, finding::kSeveralDocumentsRule, tree.root().offset(), {},
                     "extra document: Envoy reads only the first");
    }
    empty = false;
    collector->BeginDocument(encode::Spelling::kYaml);
    ReadTree(&tree, errors, collector, findings);
  }
  if (empty && reader.ok()) collector->Say(Severity::kError, finding::kSyntaxRule, 0, {}, "is empty");
}

// Reads a message of text proto. There a list is written by naming the field again and again, or in brackets, or both;
// every `resources` counts on where the one before it ended. A message that is no expanded Any is a response, unless
// the caller has named a type for it.
void ReadTextTree(encode::Tree* tree, std::size_t errors, Collector* collector, encode::Findings* findings) {
  std::size_t index = 0;
  for (encode::Children member(tree->root()); member.Next();) {
    if (member.key() != "resources") continue;
    const Node value = member.value();
    if (!value.is(NodeKind::kList)) {
      collector->Element(value, ListOf::kAnys, ResourcePath(index++), findings->errors());
    } else {
      for (encode::Children element(value); element.Next();) {
        collector->Element(element.value(), ListOf::kAnys, ResourcePath(index++), findings->errors());
      }
    }
    tree->Hide(member);
  }
  collector->Root(tree->root(), index > 0, errors);
}

void ReadText(std::string_view text, encode::Findings* findings, Collector* collector) {
  TextReader reader(text, findings);
  encode::Tree tree;
  bool first = true;
  for (std::size_t errors = 0; reader.Next(&tree); errors = findings->errors()) {
    if (!std::exchange(first, false)) {
      collector->Say(Severity::kWarning, finding::kSeveralDocumentsRule, tree.root().offset(), {},
                     "extra message: Envoy reads a file as one message");
    }
    collector->BeginDocument(encode::Spelling::kText);
    ReadTextTree(&tree, errors, collector, findings);
  }
}

// Returns true for bytes that no text has. Those at the beginning suffice: the lengths in a message are such bytes.
bool LooksBinary(std::string_view text) {
  constexpr std::size_t kEnough = 4096;
  const std::string_view head = text.substr(0, kEnough);
  return std::any_of(head.begin(), head.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r'; });
}

// Returns true when a line of text proto comes before one that only YAML has: "resources {", or the comment that names
// the message.
bool LooksLikeTextProto(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("# proto-message:")) return true;
    line.remove_prefix(std::min(line.find_first_not_of(kLetters), line.size()));
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
    if (line == "{" || line == " {") return true;
    if (line == ":" || line.starts_with('-')) return false;
  }
  return false;
}

Format GuessFormat(std::string_view text) {
  if (LooksBinary(text)) return Format::kBinary;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Format::kYaml;
  if (text[first] == '{') return Format::kJson;
  // A list, or the name of a type that text proto expands: "[type.googleapis.com/…] {".
  if (text[first] == '[') return EndsWith(text.substr(first, 6), "[type.") ? Format::kText : Format::kJson;
  return LooksLikeTextProto(text) ? Format::kText : Format::kYaml;
}

// Returns true when bytes are those of a discovery response rather than of a bare resource. Nothing on the wire says
// so: a type URL in `type_url`, or in the first field of one of the `resources`, has a '/', and a resource has hardly
// one in both places. Somebody who names no type gets a response in any case.
bool LooksLikeResponse(std::string_view bytes) {
  base::FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(base::kResponseTypeUrlField, &value) && value.find('/') != std::string_view::npos) return true;
    if (!fields.Is(base::kResponseResourcesField, &value)) continue;
    const std::optional<std::string_view> url = base::FindBytes(value, 1);
    if (url && url->find('/') != std::string_view::npos) return true;
  }
  return bytes.empty();
}

// Reads a response field by field, in place, and hands each Any on as bytes: nothing is copied but the resources. What
// stands before a cut is read; the cut itself is an error, although Envoy applies what stands before it.
void ReadBinary(std::string_view text, Collector* collector) {
  collector->BeginDocument(encode::Spelling::kJson);
  if (collector->bare_type() != nullptr && !LooksLikeResponse(text)) {
    std::string url = "type.googleapis.com/";
    url += collector->bare_type()->full_name();
    return collector->Payload(url, text, {}, 0);
  }
  collector->document().response = true;
  base::FieldReader fields(text);
  std::size_t index = 0;
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(base::kResponseVersionField, &value)) collector->document().version_info = value;
    if (fields.Is(base::kResponseTypeUrlField, &value)) collector->document().type_url = value;
    if (fields.Is(base::kResponseResourcesField, &value)) {
      const auto offset = static_cast<std::size_t>(value.data() - text.data());
      collector->AnyBytes(value, ResourcePath(index++), offset);
    } else if (fields.number() == base::kResponseResourcesField) {
      collector->Say(Severity::kError, finding::kSyntaxRule, fields.offset(), finding::Path().AddField("resources"),
                     "is not a message");
    } else {
      collector->CheckKnown(fields);
    }
  }
  if (!fields.ok()) {
    collector->Say(Severity::kError, finding::kBinaryCutOffRule, fields.offset(), {}, "malformed or cut off");
  }
}

// Gives findings and resources their lines and columns.
void SetPositions(std::string_view text, Format format, ReadFile* file) {
  std::stable_sort(file->findings.begin(), file->findings.end(),
                   [](const finding::Finding& a, const finding::Finding& b) { return a.offset < b.offset; });
  std::vector<std::size_t> offsets;
  for (const ReadResource& resource : file->resources) offsets.push_back(resource.offset);
  for (const UnreadResource& resource : file->unread) offsets.push_back(resource.offset);
  for (const finding::Finding& finding : file->findings) offsets.push_back(finding.offset);
  std::vector<finding::Position> positions;
  if (format == Format::kBinary) {
    for (const std::size_t offset : offsets) positions.push_back({0, static_cast<int>(offset) + 1});
  } else {
    positions = PositionsOf(text, offsets);
  }
  auto position = positions.begin();
  for (ReadResource& resource : file->resources) resource.position = *position++;
  for (UnreadResource& resource : file->unread) resource.position = *position++;
  for (finding::Finding& finding : file->findings) finding.position = *position++;
}

}  // namespace

Format FormatOf(std::string_view path) {
  if (EndsWith(path, ".pb")) return Format::kBinary;
  if (EndsWith(path, ".pb_text")) return Format::kText;
  if (EndsWith(path, ".yaml") || EndsWith(path, ".yml")) return Format::kYaml;
  return Format::kJson;
}

Format FormatOf(std::string_view path, std::string_view text) {
  const Format format = FormatOf(path);
  return format == Format::kJson && !EndsWith(path, ".json") ? GuessFormat(text) : format;
}

ReadFile Read(std::string_view text, Format format, const ReadOptions& options, wire::Types& types) {
  ReadFile file;
  encode::Findings findings(options.max_findings);
  Collector collector(options, types, &findings, &file);
  if (text.size() > std::numeric_limits<std::int32_t>::max()) {
    collector.Say(Severity::kError, finding::kSyntaxRule, 0, {}, "is larger than 2 GiB");
    text = {};
  } else if (format == Format::kJson) {
    JsonFile(text, &findings, &collector).Read();
  } else if (format == Format::kYaml) {
    ReadYaml(text, &findings, &collector);
  } else if (format == Format::kText) {
    ReadText(text, &findings, &collector);
  } else {
    ReadBinary(text, &collector);
  }
  file.has_errors = findings.errors() > 0;
  file.findings_left_out = findings.left_out();
  file.findings = findings.Take();
  SetPositions(text, format, &file);
  return file;
}

}  // namespace xdscope::format
