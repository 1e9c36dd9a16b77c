#include "lib/files/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "lib/base/status.h"
#include "lib/finding/reading_rules.h"
#include "lib/types/known_types.h"

namespace xdscope::files {
namespace {

constexpr std::string_view kTtlRule = "XDS-S060";
constexpr std::string_view kMoveRule = "XDS-F04";
constexpr std::string_view kWatchedDirectoryRule = "XDS-F05";
constexpr std::string_view kOneResourceRule = "XDS-F09";

// The types of which Envoy takes no more than one resource from a file (XDS-F09, seen with 1.40).
constexpr std::array<std::string_view, 4> kOneInAFile = {"rds", "eds", "sds", "ecds"};

finding::Finding Found(finding::Severity severity, std::string_view rule, std::string message) {
  finding::Finding found;
  found.rule = rule;
  found.severity = severity;
  found.message = std::move(message);
  return found;
}

// Makes the finding of a file or folder that cannot be read at all.
finding::Finding Unreadable(const absl::Status& status) {
  return Found(finding::Severity::kError, finding::kUnreadableFileRule, std::string(base::Message(status)));
}

finding::Finding Remark(std::string message) {
  return Found(finding::Severity::kInfo, {}, std::move(message));
}

std::string Count(std::size_t resources) {
  return fmt::format("{} resource{}", resources, resources == 1 ? "" : "s");
}

// Returns true for stamps of one content: the mode, and how many links there are, do not count.
bool SameContent(base::FileStamp a, const base::FileStamp& b) {
  a.changed = b.changed;
  return a == b;
}

bool SameContent(const std::vector<ResourcePtr>& a, const std::vector<ResourcePtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ResourcePtr& x, const ResourcePtr& y) {
    return x->type_url == y->type_url && x->name == y->name && x->version == y->version;
  });
}

}  // namespace

std::string ToText(const Notice& notice) {
  const finding::Finding& finding = notice.finding;
  const auto [line, column] = finding.position;
  std::string text = notice.where + ":";
  if (line > 0) {
    text += fmt::format("{}:{}:", line, column);
  } else if (column > 0) {
    text += fmt::format(" byte {}:", column);
  }
  if (!finding.path.empty()) text += fmt::format(" {}:", finding::ToText(finding.path));
  text += fmt::format(" {}", finding.message);
  if (notice.more > 0) text += fmt::format(" (and {} more)", notice.more);
  if (!notice.consequence.empty()) text += fmt::format("; {}", notice.consequence);
  return text;
}

bool IsUnknown(const finding::Finding& finding) {
  return finding.rule == finding::kUnknownFieldRule || finding.rule == finding::kMergeKeyRule;
}

bool IsDiscoveryFile(std::string_view name) {
  constexpr std::string_view kSuffixes[] = {".yaml", ".yml", ".json", ".pb", ".pb_text"};
  const std::string lower = absl::AsciiStrToLower(base::ToAbsl(name));
  return !name.starts_with('.') && std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](std::string_view s) {
    return lower.size() > s.size() && lower.ends_with(s);
  });
}

Folder::Folder(std::string path, const base::Files& files, wire::Types& types, Strictness strictness, Reading reading)
    : path_(std::move(path)), files_(files), types_(types), strictness_(strictness), reading_(std::move(reading)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
}

// What the path leads to is decided once: a folder that is gone is not replaced by a file.
absl::StatusOr<std::vector<std::string>> Folder::Names() {
  const std::vector<std::string> alone = {std::string(base::NameOf(path_))};
  if (kind_ == Kind::kFile) return alone;
  absl::StatusOr<std::vector<std::string>> names = files_.List(path_);
  if (names.ok()) {
    kind_ = Kind::kFolder;
    std::erase_if(*names, [](const std::string& name) { return !IsDiscoveryFile(name); });
  } else if (kind_ == Kind::kUnknown && absl::IsNotFound(names.status()) && files_.Stamp(path_).ok()) {
    kind_ = Kind::kFile;
    return alone;
  }
  return names;
}

std::string Folder::PathOf(const std::string& name) const {
  return kind_ == Kind::kFile ? path_ : fmt::format("{}/{}", path_, name);
}

// A folder that was there and is not may be on its way to be replaced (a mounted volume, a swapped link): what it held
// stays until it can be listed again.
std::optional<std::vector<std::string>> Folder::List(News* news) {
  absl::StatusOr<std::vector<std::string>> names = Names();
  if (!names.ok()) {
    if (!std::exchange(lost_, true)) {
      news->notices.push_back({path_, Unreadable(names.status()), 0, held_.empty() ? "" : "what it last held stays"});
    }
    return std::nullopt;
  }
  if (std::exchange(lost_, false)) news->notices.push_back({path_, Remark("is there again")});
  return *std::move(names);
}

Folder::News Folder::Rescan() {
  News news;
  const std::optional<std::vector<std::string>> names = List(&news);
  if (!names) return news;
  const std::set<std::string_view> there(names->begin(), names->end());
  for (auto file = held_.begin(); file != held_.end();) {
    const bool gone = !there.contains(file->first);
    if (gone && !file->second.resources.empty()) news.changed = true;
    file = gone ? held_.erase(file) : std::next(file);
  }
  for (const std::string& name : *names) Look(name, &news);
  return news;
}

Folder::News Folder::LoadMoved(const std::set<base::FolderEvent>& events) {
  News news;
  if (kind_ == Kind::kUnknown) {
    news = Rescan();
    for (const auto& [name, file] : held_) NoteTooMany(name, file, &news);
    return news;
  }
  const bool was_lost = lost_;
  const std::optional<std::vector<std::string>> names = List(&news);
  if (!names) return news;
  Signs signs = SignsOf(events);
  signs.all_swapped |= was_lost;
  bool by_link = false;
  for (const std::string& name : *names) {
    const bool moved = signs.moved.contains(name);
    const bool touched = signs.touched.contains(name);
    const bool linked = (signs.swapped || signs.behind_links) && IsLinked(name);
    if (moved || (touched && !held_.contains(name))) {
      if (Look(name, &news)) NoteTooMany(name, held_[name], &news);
    } else if (signs.all_swapped || (signs.swapped && linked)) {
      if (!Look(name, &news)) continue;
      by_link = true;
      NoteTooMany(name, held_[name], &news);
    } else if (touched || linked) {
      NoteLeftBehind(name, &held_[name], &news);
    }
  }
  const std::set<std::string_view> there(names->begin(), names->end());
  for (auto& [name, file] : held_) {
    if (!there.contains(name)) NoteLeftBehind(name, &file, &news);
  }
  if (by_link && !std::exchange(swap_was_said_, true)) {
    finding::Finding swapped = Remark("a link or folder was swapped");
    swapped.rule = kWatchedDirectoryRule;
    news.notices.push_back({path_, std::move(swapped), 0, "Envoy notices that by `watched_directory` alone"});
  }
  return news;
}

// Where a link leads to is not watched by Envoy, nor what is above the folder; with `watched_directory` it takes the
// move of any name for one of the file.
Folder::Signs Folder::SignsOf(const std::set<base::FolderEvent>& events) const {
  Signs signs;
  const bool alone = kind_ == Kind::kFile;
  const std::string own = alone ? base::FolderOf(path_) : path_;
  for (const base::FolderEvent& event : events) {
    const bool moved = event.kind == base::FolderEvent::Kind::kMovedHere;
    if (event.kind == base::FolderEvent::Kind::kLost) {
      signs.all_swapped = true;
    } else if (event.folder == own) {
      const bool is_file = alone ? event.name == base::NameOf(path_) : IsDiscoveryFile(event.name);
      if (is_file) (moved ? signs.moved : signs.touched).insert(event.name);
      if (!is_file && moved) signs.swapped = true;
    } else {
      signs.behind_links = true;
    }
    const bool replaced = !alone && event.folder == base::FolderOf(path_) && event.name == base::NameOf(path_);
    signs.all_swapped |= replaced && moved;
  }
  return signs;
}

// Returns whether something on the way from the folder to the file is a link.
bool Folder::IsLinked(const std::string& name) const {
  const std::string own = files_.Resolve(kind_ == Kind::kFile ? base::FolderOf(path_) : path_);
  return files_.Resolve(PathOf(name)) != fmt::format("{}/{}", own, name);
}

void Folder::NoteLeftBehind(const std::string& name, File* file, News* news) {
  const absl::StatusOr<base::FileStamp> stamp = files_.Stamp(PathOf(name));
  const bool same = stamp.ok() && file->stamp.ok() && SameContent(*stamp, *file->stamp);
  if (same || std::exchange(file->left_behind, true)) return;
  const std::string_view what = !stamp.ok()      ? "is gone"
                                : IsLinked(name) ? "was changed behind its link"
                                                 : "was written in place";
  std::string consequence = "Envoy would not notice";
  if (!file->resources.empty()) {
    consequence += fmt::format("; its last content stays ({})", Count(file->resources.size()));
  }
  news->notices.push_back(
      {PathOf(name), Found(finding::Severity::kWarning, kMoveRule, std::string(what)), 0, std::move(consequence)});
}

void Folder::NoteTooMany(const std::string& name, const File& file, News* news) const {
  if (file.broken) return;
  std::map<std::string_view, std::size_t> counts;
  for (const ResourcePtr& resource : file.resources) ++counts[types::RowOf(resource->type_url).short_name];
  for (const std::string_view type : kOneInAFile) {
    const auto count = counts.find(type);
    if (count == counts.end() || count->second < 2) continue;
    news->notices.push_back(
        {PathOf(name),
         Found(finding::Severity::kWarning, kOneResourceRule, fmt::format("has {} {} resources", count->second, type)),
         0, "Envoy takes no more than one from a file, and keeps what it had"});
  }
}

// Reads a file whose stamp is not the one it had. The stamp is that of the file a link leads to, so a link that leads
// to another file is a change too. Returns whether it was. The stamp is taken before the file is read: what is written
// in between is met by the next look.
bool Folder::Look(const std::string& name, News* news) {
  const std::string path = PathOf(name);
  File& file = held_[name];
  absl::StatusOr<base::FileStamp> stamp = files_.Stamp(path);
  const bool same = stamp.ok() ? file.stamp.ok() && *stamp == *file.stamp : stamp.status() == file.stamp.status();
  file.left_behind = false;
  if (same) return false;
  file.stamp = stamp;
  if (!stamp.ok()) {
    Refuse(name, {Unreadable(stamp.status())}, {}, &file, news);
    return true;
  }
  if (reading_ && stamp->size >= kLargeFile) reading_(path, stamp->size);
  // A file that takes all memory is one bad file: what it took is free again here.
  try {
    ReadAndTake(name, path, &file, news);
  } catch (const std::bad_alloc&) {
    const absl::Status status =
        base::Error(absl::StatusCode::kResourceExhausted, "there is not enough memory to read it");
    Refuse(name, {Unreadable(status)}, {}, &file, news);
  }
  return true;
}

void Folder::ReadAndTake(const std::string& name, const std::string& path, File* file, News* news) {
  const absl::StatusOr<std::string> text = files_.Read(path, kLargestFile);
  if (!text.ok()) return Refuse(name, {Unreadable(text.status())}, {}, file, news);
  Take(name, *text, file, news);
}

// Returns the errors of a file and makes notices of its first warnings.
std::vector<finding::Finding> Folder::Judge(const std::string& path, const format::ReadFile& read, News* news) {
  std::vector<finding::Finding> errors;
  std::size_t remarks = 0;
  for (const finding::Finding& finding : read.findings) {
    // `fetch` prints several types as several documents. Envoy would read the first one only, but this is not Envoy.
    if (finding.rule == finding::kSeveralDocumentsRule) continue;
    if (finding.severity == finding::Severity::kError) {
      errors.push_back(finding);
    } else if (remarks++ < kMostRemarks) {
      news->notices.push_back({path, finding, 0, IsUnknown(finding) ? "it is left out" : ""});
    }
  }
  if (remarks > kMostRemarks) {
    news->notices.push_back({path, Remark(fmt::format("and {} more remarks", remarks - kMostRemarks))});
  }
  return errors;
}

void Folder::Take(const std::string& name, const std::string& text, File* file, News* news) {
  format::ReadOptions options;
  options.unknown = strictness_ == Strictness::kLenient ? encode::Unknown::kWarn : encode::Unknown::kRefuse;
  format::ReadFile read = format::Read(text, format::FormatOf(name, text), options, types_);
  std::vector<finding::Finding> errors = Judge(PathOf(name), read, news);
  std::vector<ResourcePtr> resources;
  for (format::ReadResource& resource : read.resources) {
    const finding::Position at = resource.position;
    absl::StatusOr<FileResource> offered = MakeFileResource(std::move(resource), types_);
    if (!offered.ok()) {
      const std::string message(base::Message(offered.status()));
      const std::string_view rule = absl::IsOutOfRange(offered.status()) ? kTtlRule : finding::kNoNameRule;
      errors.push_back(Found(finding::Severity::kError, rule, message));
      errors.back().position = at;
      continue;
    }
    offered->origin = at.line > 0 ? fmt::format("{}:{}", name, at.line) : name;
    resources.push_back(std::make_shared<const FileResource>(*std::move(offered)));
  }
  // The errors that the reader had no room for have no words, but they count.
  if (read.findings_left_out > 0 && read.has_errors && errors.empty()) {
    errors.push_back(Found(finding::Severity::kError, finding::kUnreadableFileRule, "has errors"));
  }
  if (!errors.empty()) return Refuse(name, std::move(errors), std::move(resources), file, news);
  if (std::exchange(file->broken, false)) {
    news->notices.push_back({PathOf(name), Remark("is good again")});
  }
  news->changed |= !SameContent(file->resources, resources);
  file->resources = std::move(resources);
}

// Keeps what a file that was good last said; of one that never was takes what can be read. An editor writes in steps,
// and a client must not lose resources to a file that is half written.
void Folder::Refuse(const std::string& name, std::vector<finding::Finding> errors, std::vector<ResourcePtr> rest,
                    File* file, News* news) {
  std::string consequence = "nothing of it is taken";
  if (!file->resources.empty()) {
    consequence = fmt::format("its last good content stays ({})", Count(file->resources.size()));
  } else if (!rest.empty()) {
    consequence = fmt::format("the rest of it is taken ({})", Count(rest.size()));
    news->changed = true;
    file->resources = std::move(rest);
  }
  file->broken = true;
  news->notices.push_back({PathOf(name), std::move(errors.front()), errors.size() - 1, std::move(consequence)});
}

std::vector<ResourcePtr> Folder::Resources() const {
  std::vector<ResourcePtr> all;
  for (const auto& [name, file] : held_) all.insert(all.end(), file.resources.begin(), file.resources.end());
  return all;
}

std::vector<std::string> Folder::WatchedFolders() const {
  std::vector<std::string> folders = {path_, base::FolderOf(path_)};
  std::set<std::string> resolved_folders;
  for (const auto& [name, file] : held_) {
    const std::string resolved = files_.Resolve(PathOf(name));
    if (!resolved.empty()) resolved_folders.insert(base::FolderOf(resolved));
  }
  // Where the folder is a link itself, the folder that it leads to may be replaced too.
  const std::string own = files_.Resolve(path_);
  if (!own.empty()) resolved_folders.insert(base::FolderOf(own));
  for (const std::string& folder : folders) resolved_folders.erase(folder);
  folders.insert(folders.end(), resolved_folders.begin(), resolved_folders.end());
  return folders;
}

bool Folder::Concerns(const base::FolderEvent& event) const {
  if (event.folder != base::FolderOf(path_) || event.folder == path_ || event.name.empty()) return true;
  // Above the folder only what takes its place matters. (A link's target may be there too; its name is like any other.)
  // Beside a file alone it is the file, and a link on the way to it that is swapped: any move may be that.
  return event.name == base::NameOf(path_) || IsDiscoveryFile(event.name) ||
         event.kind == base::FolderEvent::Kind::kMovedHere;
}

}  // namespace xdscope::files
