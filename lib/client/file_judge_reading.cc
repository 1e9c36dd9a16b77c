// The half of FileJudge that reads a file as Envoy would, and says what is wrong with its spelling.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/client/file_judge.h"
#include "lib/client/found.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"
#include "lib/types/known_types.h"

namespace xdscope::client {
namespace {

using finding::Finding;
using finding::Path;
using finding::Severity;
using format::Format;

// What readers warn of and Envoy takes, without a word or with a line in its log, while what was meant is dropped or
// corrupted. People mean what they write, so these are errors.
struct TakenAllTheSame {
  std::string_view rule;
  std::string_view effect;
};
constexpr TakenAllTheSame kTakenAllTheSame[] = {
    {finding::kDuplicateKeyRule, "Envoy takes this and keeps the last one alone; what stands before it is gone"},
    {finding::kMergeKeyRule, "Envoy takes this and drops it: to Envoy a merge key is an unknown field"},
    {finding::kUnknownFieldRule, "Envoy takes this and drops it, with a line in its log for the first one of a file"},
    {finding::kSeveralDocumentsRule, "Envoy takes this and reads the first document alone"},
};

constexpr std::string_view kHowToBeRead =
    "put it into the list `resources` of a discovery response; with --type it is judged as it is";

// What a whole document may be besides a discovery response.
constexpr std::string_view kBootstrap = "envoy.config.bootstrap.v3.Bootstrap";
constexpr std::string_view kRoots[] = {kBootstrap, "envoy.admin.v3.ConfigDump"};

std::string_view RootOf(std::string_view type_url) {
  const auto* root = std::find(std::begin(kRoots), std::end(kRoots), base::MessageName(type_url));
  return root == std::end(kRoots) ? std::string_view() : *root;
}

constexpr std::string_view kRefused = "Envoy refuses the whole file; the last good one stays in force";

// Returns the part of a path that leads from a document to the resource around it: "resources[3]", "[3]" or nothing.
Path ResourceRoot(const Path& path) {
  const auto& steps = path.steps();
  const auto is_index = [&steps](std::size_t i) {
    return i < steps.size() && std::holds_alternative<Path::Index>(steps[i]);
  };
  const auto* field = steps.empty() ? nullptr : std::get_if<Path::Field>(&steps.front());
  std::size_t size = is_index(0) ? 1 : 0;
  if (field != nullptr && field->name == "resources" && is_index(1)) size = 2;
  return Path({steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(size)});
}

// Takes the beginning off a path, where it has it, and the type of what stands there.
Path Below(const Path& path, const Path& root) {
  const auto& steps = path.steps();
  const auto& first = root.steps();
  if (steps.size() < first.size() || !std::equal(first.begin(), first.end(), steps.begin())) return path;
  auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first.size());
  if (begin != steps.end() && std::holds_alternative<Path::Type>(*begin)) ++begin;
  return Path({begin, steps.end()});
}

bool LooksSo(Format expected, Format found) {
  return expected == found || (expected == Format::kYaml && found == Format::kJson);  // JSON is YAML
}

std::string_view NameOf(Format format) {
  constexpr std::string_view kNames[] = {"JSON", "YAML", "text proto", "binary"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string_view SuffixOf(Format format) {
  constexpr std::string_view kSuffixes[] = {".json", ".yaml", ".pb_text", ".pb"};
  return kSuffixes[static_cast<std::size_t>(format)];
}

bool HasNoFormat(std::string_view name) {
  return name.find('.') == std::string_view::npos;
}

// Finds the resource around a place that a reader found something at: by the path, and where several documents have the
// same path by the place.
class Surroundings {
 public:
  struct Place {
    std::size_t entry;
    std::size_t offset;
    const Path* path;
  };

  void Add(const Path& path, const Place& place) { places_[ToText(ResourceRoot(path))].push_back(place); }

  const Place* Around(const Finding& finding) const {
    for (const Path& root : {ResourceRoot(finding.path), Path()}) {
      const auto found = places_.find(ToText(root));
      if (found == places_.end()) continue;
      const auto behind =
          std::upper_bound(found->second.begin(), found->second.end(), finding.offset,
                           [](std::size_t offset, const Place& place) { return offset < place.offset; });
      return behind == found->second.begin() ? &*behind : &*std::prev(behind);
    }
    return nullptr;
  }

 private:
  std::map<std::string, std::vector<Place>> places_;  // each in the order of the file
};

}  // namespace

// Reads the file once more as a whole message. Returns false, and changes nothing, where the members of its root are
// others.
bool FileJudge::ReadAs(std::string_view root, File* file) {
  const format::ReadOptions options = {.bare_type = std::string(root), .keep_unknown_types = true, .digests = false};
  format::ReadFile read = format::Read(file->text, file->format, options, types_);
  if (read.documents.empty() || read.documents.front().response) return false;
  const auto unknown = std::count_if(read.findings.begin(), read.findings.end(), [](const Finding& finding) {
    return finding.rule == finding::kUnknownFieldRule && finding.path.steps().size() == 1;
  });
  std::ptrdiff_t known = 0;
  if (!read.resources.empty()) {
    const auto message = wire::Open(read.resources.front().type_url, read.resources.front().bytes, types_);
    if (!message.ok()) return false;
    const wire::Fields fields(message->view());
    known = std::ssize(fields.known());
  } else if (!read.unread.empty() && unknown == 0) {
    known = 1;
  }
  if (known <= unknown) return false;
  file->read = std::move(read);
  file->root = root;
  return true;
}

// Reads a file in the format that Envoy would take it for. Where that leads nowhere and the text is of another format,
// that is what is wrong with it, and it is read in that format. [XDS-V003]
void FileJudge::Read(File* file) {
  const Format found = format::FormatOf({}, file->text);
  const bool by_text = HasNoFormat(file->judged.name);
  file->format = by_text ? found : format::FormatOf(file->judged.name);
  const format::ReadOptions options = {.bare_type = options_.bare_type, .keep_unknown_types = true, .digests = false};
  file->read = format::Read(file->text, file->format, options, types_);
  if (file->read.resources.size() == 1) file->root = RootOf(file->read.resources.front().type_url);
  if (!file->read.resources.empty() || !file->read.unread.empty()) return;
  const bool says_nothing = !file->read.findings.empty() && file->read.findings.front().path.empty() &&
                            file->read.findings.front().rule == finding::kNotAResourceRule;
  if (says_nothing && options_.bare_type.empty() && (ReadAs(kRoots[0], file) || ReadAs(kRoots[1], file))) return;
  if (by_text || !file->read.has_errors || LooksSo(file->format, found)) return;
  format::ReadFile other = format::Read(file->text, found, options, types_);
  if (other.resources.empty()) return;
  Finding suffix = Found(
      finding::kSuffixRule,
      fmt::format("is written in {}, and Envoy reads a file of this name as {}", NameOf(found), NameOf(file->format)));
  suffix.help = fmt::format("call it {}", SuffixOf(found));
  suffix.position = {1, 1};
  file->findings.Add(suffix);
  file->format = found;
  file->read = std::move(other);
}

// Lists the resources of a file, read or not, in its order.
void FileJudge::List(File* file) {
  const auto& read = file->read.resources;
  const auto& unread = file->read.unread;
  std::vector<JudgedResource>& listed = file->judged.resources;
  listed.reserve(read.size() + unread.size());
  file->entries.reserve(read.size());
  std::size_t next = 0;
  const auto add_unread = [&](std::size_t before) {
    for (; next < unread.size() && unread[next].offset < before; ++next) {
      listed.push_back({unread[next].type_url, unread[next].name, unread[next].position, false});
    }
  };
  for (const format::ReadResource& resource : read) {
    add_unread(resource.offset);
    file->entries.push_back(listed.size());
    const std::string_view name =
        resource.name.empty() ? types::NameInPayload(resource.type_url, resource.bytes) : resource.name;
    listed.push_back({resource.type_url, std::string(name), resource.position, true});
  }
  add_unread(std::string::npos);
}

// Takes over what the reader found, and says in which resource it is.
void FileJudge::TakeReading(File* file) {
  Surroundings surroundings;
  std::size_t read = 0, unread = 0;
  const std::size_t listed = file->read.findings.empty() ? 0 : file->judged.resources.size();
  for (std::size_t entry = 0; entry < listed; ++entry) {
    if (file->judged.resources[entry].read) {
      const format::ReadResource& resource = file->read.resources[read++];
      surroundings.Add(resource.path, {entry, resource.offset, &resource.path});
    } else {
      const format::UnreadResource& resource = file->read.unread[unread++];
      surroundings.Add(resource.path, {entry, resource.offset, &resource.path});
    }
  }
  for (Finding finding : file->read.findings) {
    const auto* taken = std::find_if(std::begin(kTakenAllTheSame), std::end(kTakenAllTheSame),
                                     [&](const TakenAllTheSame& row) { return row.rule == finding.rule; });
    if (taken != std::end(kTakenAllTheSame) && finding.severity == Severity::kWarning) {
      finding.severity = Severity::kError;
      const bool refused = file->root == kBootstrap && finding.rule == finding::kUnknownFieldRule;
      finding.effect =
          refused ? "Envoy does not start with this: static configuration has no unknown fields" : taken->effect;
    } else if (finding.rule == finding::kUnknownTypeRule) {
      finding.severity = Severity::kError;
    } else if (finding.severity == Severity::kError && finding::FindRule(finding.rule)->effect.empty()) {
      finding.effect = kRefused;
    }
    if (file->root.empty() && finding.rule == finding::kNotAResourceRule && options_.bare_type.empty())
      finding.help = kHowToBeRead;
    if (const Surroundings::Place* around = surroundings.Around(finding)) {
      const JudgedResource& resource = file->judged.resources[around->entry];
      finding.type_url = resource.type_url;
      finding.resource = resource.name;
      finding.entry = around->entry;
      finding.path = Below(finding.path, *around->path);
    }
    if (finding.rule == finding::kUnknownTypeRule && finding.entry) {
      file->unknown_types.emplace(*finding.entry, ToText(finding.path));
    }
    file->findings.Add(finding);
  }
  if (file->read.findings_left_out == 0) return;
  Finding more = Found(finding::kUnreadableFileRule,
                       fmt::format("{} more findings of the reader have no room here", file->read.findings_left_out));
  if (!file->read.has_errors) more.severity = Severity::kWarning;
  file->findings.Add(more);
}

// Looks for what is wrong with a file as a whole. [XDS-V001, XDS-V014]
void FileJudge::CheckDocuments(File* file) {
  CheckEmptiness(file);
  CheckBareness(file);
}

// Envoy reads the first document alone.
void FileJudge::CheckEmptiness(File* file) {
  const format::ReadFile& read = file->read;
  const auto stands_there = [](const auto& resource) { return resource.document == 0; };
  if (read.documents.empty() || !read.documents.front().response || read.has_errors) return;
  if (std::ranges::any_of(read.resources, stands_there) || std::ranges::any_of(read.unread, stands_there)) return;
  // In bytes a bare resource looks like a response with fields that no response has.
  const bool is_other = file->format == Format::kBinary && !read.findings.empty();
  Finding empty = is_other ? Found(finding::kNotAResourceRule, "has fields of something else than a discovery response")
                           : Found(finding::kEmptyResponseRule, "lists no resources");
  if (is_other) empty.help = kHowToBeRead;
  if (file->format != Format::kBinary) empty.position = {1, 1};
  file->findings.Add(empty);
}

void FileJudge::CheckBareness(File* file) {
  if (!options_.bare_type.empty() || options_.served || !file->root.empty()) return;
  for (std::size_t i = 0; i < file->read.resources.size(); ++i) {
    const format::ReadResource& resource = file->read.resources[i];
    if (file->read.documents[resource.document].response) continue;
    Finding bare = Found(finding::kNotAResourceRule, "a resource of its own, and no discovery response around it");
    bare.type_url = resource.type_url;
    bare.entry = file->entries[i];
    bare.resource = file->judged.resources[*bare.entry].name;
    bare.position = resource.position;
    bare.help = kHowToBeRead;
    file->findings.Add(bare);
  }
}

}  // namespace xdscope::client
