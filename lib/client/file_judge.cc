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
#include "lib/client/found.h"
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

// What is a mistake only in a file that a client reads itself.
constexpr std::string_view kAboutFiles[] = {
    "XDS-V003", "XDS-V004", "XDS-V005", "XDS-V006", "XDS-V007", "XDS-V014", "XDS-V202",
};

bool IsAboutFiles(const Finding& finding) {
  return std::ranges::find(kAboutFiles, finding.rule) != std::end(kAboutFiles);
}

constexpr std::string_view kBootstrap = "envoy.config.bootstrap.v3.Bootstrap";

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

// Runs the rules over each resource. What they say of unknown types the reader has said already, of those that it has
// come to.
void FileJudge::Inspect(File* file) {
  finding::Sample found;
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
    inspector_.Inspect({resource.type_url, judged.name, file->entries[i]}, file->messages.back()->view(), &found);
  }
  for (const Finding& finding : found.kept()) {
    const bool said = finding.rule == finding::kUnknownTypeRule && finding.entry &&
                      file->unknown_types.contains({*finding.entry, ToText(finding.path)});
    if (!said) file->findings.Add(finding);
  }
}

// What a bootstrap has is there for the files too.
void FileJudge::TakeBootstrap(const File& file) {
  if (file.root != kBootstrap || file.messages.empty() || !file.messages.front()) return;
  rules::AddBootstrap(file.messages.front()->view(), &options_.set);
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
  for (File& file : files_) {
    file.judged.findings = file.findings.Take();
    if (options_.served) std::erase_if(file.judged.findings, IsAboutFiles);
  }
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
