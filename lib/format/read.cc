#include "lib/format/read.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "lib/base/fields.h"
#include "lib/format/collector.h"
#include "lib/format/json_reader.h"
#include "lib/format/text_reader.h"
#include "lib/format/yaml_reader.h"

namespace xdscope::format {
namespace {

using encode::Node;
using encode::NodeKind;
using encode::ProblemKind;
using encode::Severity;

std::string IndexPath(std::string_view list, std::size_t index) {
  std::string path(list);
  encode::AppendIndexStep(&path, index);
  return path;
}

bool EndsWith(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  text.remove_prefix(text.size() - lower.size());
  return std::equal(text.begin(), text.end(), lower.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

// A `resources` that is no list is its only element. False: there is none such.
bool TakeSingleResource(encode::Tree* tree, Collector* collector, std::size_t errors) {
  bool found = false;
  for (encode::Children member(tree->root()); member.Next();) {
    const Node value = member.value();
    if (member.key() != "resources" || !value.is(NodeKind::kMap)) continue;
    collector->Say(Severity::kWarning, ProblemKind::kListExpected, value.offset(), "resources",
                   "expected a list; a map is taken as its only element");
    collector->Element(value, ListOf::kAnys, "resources[0]", errors);
    tree->Hide(member);
    found = true;
  }
  return found;
}

// Reads JSON resource by resource: only one is in memory as a tree.
class JsonFile {
 public:
  JsonFile(std::string_view text, encode::Problems* problems, Collector* collector)
      : reader_(text, problems), problems_(*problems), collector_(*collector) {}

  void Read() {
    if (reader_.Peek() == 0) {
      if (reader_.ok()) collector_.Say(Severity::kError, ProblemKind::kSyntax, 0, {}, "is empty");
      return;
    }
    for (bool first = true; reader_.Peek() != 0; first = false) {
      if (!first) {
        collector_.Say(Severity::kError, ProblemKind::kSeveralDocuments, reader_.offset(), {},
                       "one more document; JSON has one");
      }
      collector_.BeginDocument(encode::Spelling::kJson);
      Document();
    }
  }

 private:
  void Document() {
    const char next = reader_.Peek();
    if (next == '[') return List(ListOf::kBareResources, {});
    if (next == '{') return Map();
    encode::Tree tree;
    const std::size_t errors = problems_.errors();
    if (reader_.Value(&tree)) collector_.Root(tree.root(), false, errors);
  }

  void List(ListOf list, std::string_view path) {
    std::size_t index = 0;
    encode::Tree tree;
    for (JsonReader::Steps steps(reader_); steps.Next(&tree); ++index) {
      tree.Clear();
      const std::size_t errors = problems_.errors();
      if (reader_.Value(&tree)) collector_.Element(tree.root(), list, IndexPath(path, index), errors);
    }
  }

  // Takes `resources` out element by element, unless the map turns out to be a resource with a field of that name.
  void Map() {
    const JsonReader begin = reader_;
    const encode::Problems::Mark problems = problems_.mark();
    const std::size_t resources = collector_.size();
    encode::Tree tree;
    if (ReadMap(&tree, true) || !reader_.ok()) return;
    reader_ = begin;
    problems_.ReturnTo(problems);
    collector_.ReturnTo(resources);
    ReadMap(&tree, false);
  }

  // False: its `resources` should have stayed.
  bool ReadMap(encode::Tree* tree, bool take_resources) {
    const std::size_t errors = problems_.errors();
    bool has_resources = false;
    tree->Clear();
    tree->Open(NodeKind::kMap, reader_.offset());
    for (JsonReader::Steps steps(reader_); steps.Next(tree);) {
      if (take_resources && steps.key() == "resources" && reader_.Peek() == '[') {
        if (has_resources) collector_.SayTwice(steps.key_offset());
        has_resources = true;
        List(ListOf::kAnys, "resources");
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
  encode::Problems& problems_;
  Collector& collector_;
};

// A document that is in memory as a tree.
void ReadTree(encode::Tree* tree, std::size_t errors, Collector* collector, encode::Problems* problems) {
  const Node root = tree->root();
  if (root.is(NodeKind::kList)) {
    std::size_t index = 0;
    for (encode::Children element(root); element.Next(); ++index) {
      collector->Element(element.value(), ListOf::kBareResources, IndexPath({}, index), problems->errors());
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
      collector->Element(element.value(), ListOf::kAnys, IndexPath("resources", index), problems->errors());
    }
    tree->Hide(member);
  }
  if (response) has_resources = TakeSingleResource(tree, collector, problems->errors()) || has_resources;
  collector->Root(root, has_resources, has_resources ? problems->errors() : errors);
}

void ReadYaml(std::string_view text, encode::Problems* problems, Collector* collector) {
  YamlReader reader(text, problems);
  encode::Tree tree;
  bool empty = true;
  for (std::size_t errors = 0; reader.Next(&tree); errors = problems->errors()) {
    if (!tree.root().valid() || tree.root().is(NodeKind::kNull)) continue;
    if (!empty) {
      collector->Say(Severity::kWarning, ProblemKind::kSeveralDocuments, tree.root().offset(), {},
                     "one more document; Envoy reads the first only");
    }
    empty = false;
    collector->BeginDocument(encode::Spelling::kYaml);
    ReadTree(&tree, errors, collector, problems);
  }
  if (empty && reader.ok()) collector->Say(Severity::kError, ProblemKind::kSyntax, 0, {}, "is empty");
}

// In text proto a list is spelled by naming the field again and again.
void ReadTextTree(encode::Tree* tree, std::size_t errors, Collector* collector, encode::Problems* problems) {
  std::size_t index = 0;
  for (encode::Children member(tree->root()); member.Next();) {
    if (member.key() != "resources") continue;
    const Node value = member.value();
    if (!value.is(NodeKind::kList)) {
      collector->Element(value, ListOf::kAnys, IndexPath("resources", index++), problems->errors());
    } else {
      for (encode::Children element(value); element.Next();) {
        collector->Element(element.value(), ListOf::kAnys, IndexPath("resources", index++), problems->errors());
      }
    }
    tree->Hide(member);
  }
  collector->Root(tree->root(), index > 0, errors);
}

void ReadText(std::string_view text, encode::Problems* problems, Collector* collector) {
  TextReader reader(text, problems);
  encode::Tree tree;
  bool first = true;
  for (std::size_t errors = 0; reader.Next(&tree); errors = problems->errors()) {
    if (!std::exchange(first, false)) {
      collector->Say(Severity::kWarning, ProblemKind::kSeveralDocuments, tree.root().offset(), {},
                     "one more message; Envoy reads a file as one");
    }
    collector->BeginDocument(encode::Spelling::kText);
    ReadTextTree(&tree, errors, collector, problems);
  }
}

// Fields of DiscoveryResponse, v2 and v3.
constexpr std::uint32_t kVersionInfo = 1, kResources = 2, kTypeUrl = 4;

// True when bytes are those of a discovery response rather than of a bare resource.
bool LooksLikeResponse(std::string_view bytes) {
  base::FieldReader fields(bytes);
  std::string_view value;
  while (fields.Next()) {
    if (fields.Is(kTypeUrl, &value) && value.find('/') != std::string_view::npos) return true;
    if (!fields.Is(kResources, &value)) continue;
    const std::optional<std::string_view> url = base::FindBytes(value, 1);
    if (url && url->find('/') != std::string_view::npos) return true;
  }
  return bytes.empty();
}

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
    if (fields.Is(kVersionInfo, &value)) collector->document().version_info = value;
    if (fields.Is(kTypeUrl, &value)) collector->document().type_url = value;
    if (fields.Is(kResources, &value)) {
      const auto offset = static_cast<std::size_t>(value.data() - text.data());
      collector->AnyBytes(value, IndexPath("resources", index++), offset);
    } else if (fields.number() == kResources) {
      collector->Say(Severity::kError, ProblemKind::kSyntax, fields.offset(), "resources", "is no message");
    } else {
      collector->CheckKnown(fields);
    }
  }
  // What Envoy makes of it is worse: it applies what stands before. [XDS-V002]
  if (!fields.ok()) {
    collector->Say(Severity::kError, ProblemKind::kSyntax, fields.offset(), {}, "malformed or cut off");
  }
}

// Gives problems and resources their lines and columns.
void SetPositions(std::string_view text, Format format, std::vector<encode::Problem> problems, ReadFile* file) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const encode::Problem& a, const encode::Problem& b) { return a.offset < b.offset; });
  std::vector<std::size_t> offsets;
  for (const ReadResource& resource : file->resources) offsets.push_back(resource.offset);
  for (const encode::Problem& problem : problems) offsets.push_back(problem.offset);
  std::vector<Position> positions;
  if (format == Format::kBinary) {
    for (const std::size_t offset : offsets) positions.push_back({0, static_cast<int>(offset) + 1});
  } else {
    positions = PositionsOf(text, offsets);
  }
  auto position = positions.begin();
  for (ReadResource& resource : file->resources) resource.position = *position++;
  for (encode::Problem& problem : problems) {
    file->problems.push_back(
        {problem.severity, problem.kind, *position++, std::move(problem.path), std::move(problem.what)});
  }
}

}  // namespace

Format FormatOf(std::string_view path) {
  if (EndsWith(path, ".pb")) return Format::kBinary;
  if (EndsWith(path, ".pb_text")) return Format::kText;
  if (EndsWith(path, ".yaml") || EndsWith(path, ".yml")) return Format::kYaml;
  return Format::kJson;
}

ReadFile Read(std::string_view text, Format format, const ReadOptions& options, wire::Types& types) {
  ReadFile file;
  encode::Problems problems(options.max_problems);
  Collector collector(options, types, &problems, &file);
  if (text.size() > std::numeric_limits<std::int32_t>::max()) {
    collector.Say(Severity::kError, ProblemKind::kSyntax, 0, {}, "is larger than 2 GiB");
    text = {};
  } else if (format == Format::kJson) {
    JsonFile(text, &problems, &collector).Read();
  } else if (format == Format::kYaml) {
    ReadYaml(text, &problems, &collector);
  } else if (format == Format::kText) {
    ReadText(text, &problems, &collector);
  } else {
    ReadBinary(text, &collector);
  }
  file.has_errors = problems.errors() > 0;
  file.problems_left_out = problems.left_out();
  SetPositions(text, format, problems.Take(), &file);
  return file;
}

}  // namespace xdscope::format
