#include "lib/client/file_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/encode/visit.h"
#include "lib/finding/reading_rules.h"
#include "lib/finding/rules.h"
#include "lib/format/binary_place.h"
#include "lib/format/locate.h"
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

// What becomes of a resource with an error of which its rule says no more.
struct Refusal {
  std::string_view short_name;
  std::string_view effect;
};
constexpr Refusal kRefusals[] = {
    {"lds", "Envoy refuses the listener, or all of the response where it is not about an extension"},
    {"cds", "Envoy refuses the cluster, or all of the response where it is not about an extension"},
    {"rds", "Envoy rejects the whole route table, the previous one stays active"},
    {"srds", "Envoy rejects all of the scopes, the previous ones stay active"},
    {"eds", "Envoy rejects the whole load assignment, the previous one stays active"},
    {"sds", "Envoy rejects the secret, the previous one stays active"},
};

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

// Takes the beginning off a path, where it has it.
Path Below(const Path& path, const Path& root) {
  const auto& steps = path.steps();
  const auto& first = root.steps();
  if (steps.size() < first.size() || !std::equal(first.begin(), first.end(), steps.begin())) return path;
  return Path({steps.begin() + static_cast<std::ptrdiff_t>(first.size()), steps.end()});
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

Finding Found(std::string_view rule, std::string message) {
  Finding found;
  found.rule = rule;
  found.severity = finding::SeverityOf(rule);
  found.message = std::move(message);
  return found;
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

// Takes the message that the reader has decoded, where it had to.
absl::StatusOr<wire::Message> Open(format::ReadResource* resource, wire::Types& types) {
  const std::optional<wire::Message> decoded = std::exchange(resource->message, std::nullopt);
  if (decoded) return decoded->MovedTo(resource->bytes);
  return wire::Open(resource->type_url, resource->bytes, types);
}

bool ComesBefore(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& f) { return std::tuple(f.position.line, f.position.column, f.rule); };
  return key(a) < key(b);
}

}  // namespace

void FileJudge::Add(std::string name, std::string text, std::size_t set) {
  File& file = files_.emplace_back();
  file.set = set;
  file.judged.name = std::move(name);
  file.text = std::move(text);
  Read(&file);
  List(&file);
  TakeReading(&file);
  CheckDocuments(&file);
  Inspect(&file);
  TakeBootstrap(file);
}

void FileJudge::AddUnreadable(std::string name, const absl::Status& why) {
  File& file = files_.emplace_back();
  file.judged.name = std::move(name);
  file.findings.Add(Found(finding::kUnreadableFileRule, std::string(base::Message(why))));
}

void FileJudge::AddMissing(std::string name, const absl::Status& why) {
  File& file = files_.emplace_back();
  file.judged.name = std::move(name);
  Finding missing =
      Found(finding::kUnreadableFileRule,
            fmt::format("a config source names this file, which cannot be read here: {}", base::Message(why)));
  missing.severity = Severity::kWarning;
  file.findings.Add(missing);
}

// Reads the file once more as a whole message. Returns false, and changes nothing, where the members of its root are
// others.
bool FileJudge::ReadAs(std::string_view root, File* file) {
  format::ReadOptions options;
  options.bare_type = root;
  options.digests = false;
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
  format::ReadOptions options;
  options.bare_type = options_.bare_type;
  options.digests = false;
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
  if (!options_.bare_type.empty() || !file->root.empty()) return;
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

// Runs the rules over each resource.
void FileJudge::Inspect(File* file) {
  file->messages.reserve(file->read.resources.size());
  for (std::size_t i = 0; i < file->read.resources.size(); ++i) {
    format::ReadResource& resource = file->read.resources[i];
    absl::StatusOr<wire::Message> message = Open(&resource, types_);
    JudgedResource& judged = file->judged.resources[file->entries[i]];
    if (!message.ok()) {  // bytes that our own writers could not open either
      const bool unknown = absl::IsNotFound(message.status());
      Finding closed =
          Found(unknown ? finding::kUnknownTypeRule : finding::kAnyBytesRule,
                unknown ? types_.WhyUnknown(resource.type_url) : std::string(base::Message(message.status())));
      closed.type_url = resource.type_url;
      closed.entry = file->entries[i];
      closed.position = resource.position;
      file->findings.Add(closed);
      file->messages.emplace_back();
      judged.read = false;
      continue;
    }
    file->messages.emplace_back(*std::move(message));
    inspector_.Inspect({resource.type_url, judged.name, file->entries[i]}, file->messages.back()->view(),
                       &file->findings);
  }
}

// What a bootstrap has is there for the files too.
void FileJudge::TakeBootstrap(const File& file) {
  if (file.root != kBootstrap || file.messages.empty() || !file.messages.front()) return;
  encode::Visit(file.messages.front()->view(), types_, [this](const encode::Visited& at) {
    const std::string_view type = at.message.type().full_name();
    if (type == "envoy.config.cluster.v3.Cluster") {
      options_.set.known_clusters.emplace(at.message.GetText("name"));
    } else if (type == "envoy.extensions.transport_sockets.tls.v3.Secret") {
      options_.set.known_secrets.emplace(at.message.GetText("name"));
    }
    return at.above == nullptr || type == "envoy.config.bootstrap.v3.Bootstrap.StaticResources";
  });
}

std::vector<std::string> FileJudge::FilesNamed() const {
  std::set<std::size_t> sets;
  for (const File& file : files_) {
    if (file.root == kBootstrap) sets.insert(file.set);
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto look = [&names, &seen](const encode::Visited& at) {
    const std::string_view type = at.message.type().full_name();
    const bool names_one =
        type == "envoy.config.core.v3.PathConfigSource" || type == "envoy.config.core.v3.ConfigSource";
    const std::string_view path = names_one ? at.message.GetText("path") : std::string_view();
    if (!path.empty() && seen.emplace(path).second) names.emplace_back(path);
    return true;
  };
  for (const File& file : files_) {
    if (!sets.contains(file.set)) continue;
    for (const std::optional<wire::Message>& message : file.messages) {
      if (message) encode::Visit(message->view(), types_, look);
    }
  }
  return names;
}

// Runs the rules about several resources, over each set of files.
void FileJudge::InspectSets() {
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (std::size_t number = 0; number < files_.size(); ++number) sets[files_[number].set].push_back(number);
  for (const auto& [set, numbers] : sets) {
    std::vector<std::string> names;
    std::vector<rules::Member> members;
    for (const std::size_t number : numbers) {
      const File& file = files_[number];
      for (std::size_t i = 0; i < file.messages.size(); ++i) {
        const JudgedResource& resource = file.judged.resources[file.entries[i]];
        if (!file.messages[i]) continue;
        members.push_back(
            {names.size(), {resource.type_url, resource.name, file.entries[i]}, file.messages[i]->view()});
      }
      names.push_back(file.judged.name);
    }
    rules::SetInspector(types_, options_.set).Inspect(names, members, [&](std::size_t file) -> finding::Sample& {
      return files_[numbers[file]].findings;
    });
  }
}

// Gives the findings that only know their paths their places, and likewise what they are related to. Each text is read
// once more, and only where there are such findings.
void FileJudge::Locate() {
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < files_.size(); ++i) by_name.emplace(files_[i].judged.name, i);
  std::vector<std::vector<Wanted>> wanted(files_.size());
  for (std::size_t number = 0; number < files_.size(); ++number) {
    for (Finding& finding : files_[number].judged.findings) {
      wanted[number].push_back({finding.entry, &finding.path, &finding.position});
      if (!finding.related) continue;
      finding::Related& other = *finding.related;
      const auto elsewhere = by_name.find(other.file);
      const std::size_t there = elsewhere == by_name.end() ? number : elsewhere->second;
      const std::optional<std::size_t> same = other.file.empty() ? finding.entry : std::nullopt;
      wanted[there].push_back({other.entry ? other.entry : same, &other.path, &other.position});
    }
  }
  for (std::size_t number = 0; number < files_.size(); ++number) Locate(wanted[number], &files_[number]);
}

void FileJudge::Locate(std::span<const Wanted> wanted, File* file) {
  const std::vector<std::size_t>& entries = file->entries;  // in ascending order
  std::vector<format::FieldPath> paths;
  std::vector<format::PathInValue> in_values;  // of JSON: its resources stand alone
  std::vector<finding::Position*> places;
  for (const Wanted& one : wanted) {
    if (!one.entry || *one.place != finding::Position()) continue;
    const auto row = std::lower_bound(entries.begin(), entries.end(), *one.entry);
    if (row == entries.end() || *row != *one.entry) continue;
    const auto number = static_cast<std::size_t>(row - entries.begin());
    const format::ReadResource& resource = file->read.resources[number];
    if (file->format == Format::kBinary) {
      if (file->messages[number]) *one.place = ByteOf(*file, number, *one.path);
      continue;
    }
    places.push_back(one.place);
    if (file->format == Format::kJson) {
      in_values.push_back({resource.offset, *one.path});
    } else {
      Path whole = resource.path;
      paths.push_back({resource.document, whole.Append(*one.path)});
    }
  }
  if (places.empty()) return;
  const std::vector<finding::Position> found = file->format == Format::kJson
                                                   ? format::LocateInJson(file->text, in_values)
                                                   : format::Locate(file->text, file->format, paths);
  for (std::size_t i = 0; i < found.size(); ++i) *places[i] = found[i];
}

// Finds a place in a resource of a binary file, where it stands as it was read.
finding::Position FileJudge::ByteOf(const File& file, std::size_t number, const Path& path) {
  const std::vector<format::ReadResource>& resources = file.read.resources;
  const format::ReadResource& resource = resources[number];
  const std::size_t end = number + 1 < resources.size() ? resources[number + 1].offset : file.text.size();
  const std::string_view around = std::string_view(file.text).substr(resource.offset, end - resource.offset);
  const std::size_t begin = around.find(resource.bytes);
  const std::size_t inside =
      begin == std::string_view::npos ? 0 : begin + format::OffsetIn(file.messages[number]->view(), path, types_);
  return {0, static_cast<int>(resource.offset + inside + 1)};
}

std::vector<JudgedFile> FileJudge::Judge() {
  InspectSets();
  for (File& file : files_) file.judged.findings = file.findings.Take();
  Locate();
  std::vector<JudgedFile> judged;
  for (File& file : files_) {
    std::stable_sort(file.judged.findings.begin(), file.judged.findings.end(), ComesBefore);
    const bool has_comments = file.format == Format::kYaml || file.format == Format::kText;
    if (has_comments && !file.judged.findings.empty()) file.judged.ignored = FindIgnoreComments(file.text);
    judged.push_back(std::move(file.judged));
  }
  files_.clear();
  return judged;
}

std::string EffectOf(const finding::Finding& finding) {
  if (!finding.effect.empty()) return std::string(finding.effect);
  if (finding.severity == Severity::kError && base::MessageName(finding.type_url) == kBootstrap) {
    return "Envoy does not start with this";
  }
  const finding::Rule* const rule = finding::FindRule(finding.rule);
  if (rule != nullptr && !rule->effect.empty()) return std::string(rule->effect);
  if (finding.severity != Severity::kError) return {};
  const std::string_view short_name = types::RowOf(finding.type_url).short_name;
  const auto* row = std::find_if(std::begin(kRefusals), std::end(kRefusals),
                                 [&](const Refusal& refusal) { return refusal.short_name == short_name; });
  return row == std::end(kRefusals) ? std::string() : std::string(row->effect);
}

}  // namespace xdscope::client
