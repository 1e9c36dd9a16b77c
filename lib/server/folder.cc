#include "lib/server/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "lib/format/read.h"

namespace xdscope::server {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// "12:3: path: what"; parts that are not known are left out.
std::string Words(const format::Problem& problem) {
  std::string words;
  if (problem.position.line > 0) words = fmt::format("{}:{}: ", problem.position.line, problem.position.column);
  if (problem.position.line == 0 && problem.position.column > 0) {
    words = fmt::format(" byte {}: ", problem.position.column);
  }
  if (!problem.path.empty()) words += problem.path + ": ";
  return words + problem.what;
}

// The first error of a file in words, and how many follow it.
struct Errors {
  std::string first;
  std::size_t more = 0;

  void Add(std::string words) {
    if (first.empty()) {
      first = std::move(words);
    } else {
      ++more;
    }
  }
  bool any() const { return !first.empty(); }
  std::string all() const { return more == 0 ? first : fmt::format("{} (and {} more)", first, more); }
};

std::string Count(std::size_t resources) {
  return fmt::format("{} resource{}", resources, resources == 1 ? "" : "s");
}

bool SameContent(const std::vector<ResourcePtr>& a, const std::vector<ResourcePtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ResourcePtr& x, const ResourcePtr& y) {
    return x->type_url == y->type_url && x->name == y->name && x->version == y->version;
  });
}

}  // namespace

bool IsServed(std::string_view name) {
  constexpr std::string_view kSuffixes[] = {".yaml", ".yml", ".json", ".pb", ".pb_text"};
  const std::string lower = Lower(name);
  return !name.starts_with('.') && std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](std::string_view s) {
    return lower.size() > s.size() && lower.ends_with(s);
  });
}

Folder::Folder(std::string path, const base::Files& files, wire::Types& types, Reading reading)
    : path_(std::move(path)), files_(files), types_(types), reading_(std::move(reading)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
}

absl::StatusOr<std::vector<std::string>> Folder::Names() const {
  absl::StatusOr<std::vector<std::string>> names = files_.List(path_);
  if (names.ok()) std::erase_if(*names, [](const std::string& name) { return !IsServed(name); });
  return names;
}

Folder::News Folder::Rescan() {
  News news;
  const absl::StatusOr<std::vector<std::string>> names = Names();
  if (!names.ok()) {
    if (!std::exchange(lost_, true)) {
      const std::string_view kept = held_.empty() ? "" : "; what it last held stays";
      news.notices.push_back({true, fmt::format("{}: {}{}", path_, base::Message(names.status()), kept)});
    }
    return news;
  }
  if (std::exchange(lost_, false)) news.notices.push_back({false, fmt::format("{}: is there again", path_)});
  const std::set<std::string_view> there(names->begin(), names->end());
  for (auto file = held_.begin(); file != held_.end();) {
    const bool gone = !there.contains(file->first);
    if (gone && !file->second.resources.empty()) news.changed = true;
    file = gone ? held_.erase(file) : std::next(file);
  }
  for (const std::string& name : *names) Look(name, &news);
  return news;
}

void Folder::Look(const std::string& name, News* news) {
  const std::string path = fmt::format("{}/{}", path_, name);
  File& file = held_[name];
  absl::StatusOr<base::FileStamp> stamp = files_.Stamp(path);
  const bool same = stamp.ok() ? file.stamp.ok() && *stamp == *file.stamp : stamp.status() == file.stamp.status();
  if (same) return;
  file.stamp = stamp;
  if (reading_ && stamp.ok() && stamp->size >= kLargeFile) reading_(path, stamp->size);
  const absl::StatusOr<std::string> text =
      stamp.ok() ? files_.Read(path, kLargestFile) : absl::StatusOr<std::string>(stamp.status());
  if (text.ok()) {
    Take(name, *text, &file, news);
  } else {
    Break(name, fmt::format(" {}", base::Message(text.status())), {}, &file, news);
  }
}

void Folder::Take(const std::string& name, const std::string& text, File* file, News* news) {
  format::ReadFile read = format::Read(text, format::FormatOf(name), {}, types_);
  Errors errors;
  std::size_t remarks = 0;
  for (const format::Problem& problem : read.problems) {
    // What `fetch` prints of several types; Envoy reads the first only, but this is not Envoy.
    if (problem.kind == encode::ProblemKind::kSeveralDocuments) continue;
    if (problem.severity == encode::Severity::kError) {
      errors.Add(Words(problem));
    } else if (remarks++ < kMostRemarks) {
      news->notices.push_back({false, fmt::format("{}/{}:{}", path_, name, Words(problem))});
    }
  }
  if (remarks > kMostRemarks) {
    news->notices.push_back({false, fmt::format("{}/{}: and {} more remarks", path_, name, remarks - kMostRemarks)});
  }
  std::vector<ResourcePtr> resources;
  for (format::ReadResource& resource : read.resources) {
    const format::Position at = resource.position;
    absl::StatusOr<ServedResource> offered = Offer(std::move(resource), types_);
    if (!offered.ok()) {
      errors.Add(fmt::format("{}:{}: {}", at.line, at.column, base::Message(offered.status())));
      continue;
    }
    offered->origin = at.line > 0 ? fmt::format("{}:{}", name, at.line) : name;
    resources.push_back(std::make_shared<const ServedResource>(*std::move(offered)));
  }
  if (read.problems_left_out > 0 && read.has_errors && !errors.any()) errors.Add(" has errors");
  if (errors.any()) return Break(name, errors.all(), std::move(resources), file, news);
  if (std::exchange(file->broken, false)) {
    news->notices.push_back({false, fmt::format("{}/{}: is good again", path_, name)});
  }
  news->changed |= !SameContent(file->resources, resources);
  file->resources = std::move(resources);
}

// A file that was good stays what it was. One that never was serves what can be read of it.
void Folder::Break(const std::string& name, std::string what, std::vector<ResourcePtr> rest, File* file, News* news) {
  std::string_view but = "; nothing of it is served";
  std::string so;
  if (!file->resources.empty()) {
    so = fmt::format("; its last good content stays ({})", Count(file->resources.size()));
    but = so;
  } else if (!rest.empty()) {
    so = fmt::format("; the rest of it is served ({})", Count(rest.size()));
    but = so;
    news->changed = true;
    file->resources = std::move(rest);
  }
  file->broken = true;
  news->notices.push_back({true, fmt::format("{}/{}:{}{}", path_, name, what, but)});
}

std::vector<ResourcePtr> Folder::Resources() const {
  std::vector<ResourcePtr> all;
  for (const auto& [name, file] : held_) all.insert(all.end(), file.resources.begin(), file.resources.end());
  return all;
}

std::vector<std::string> Folder::WatchedFolders() const {
  std::set<std::string> folders = {path_, base::FolderOf(path_)};
  for (const auto& [name, file] : held_) {
    const std::string resolved = files_.Resolve(fmt::format("{}/{}", path_, name));
    if (!resolved.empty()) folders.insert(base::FolderOf(resolved));
  }
  const std::string own = files_.Resolve(path_);
  if (!own.empty()) folders.insert(base::FolderOf(own));
  return {folders.begin(), folders.end()};
}

bool Folder::Concerns(std::string_view folder, std::string_view name) const {
  if (folder.empty() || name.empty()) return true;
  // Above the folder only what takes its place matters. (A link's target may be there too; its name is like any other.)
  if (folder == base::FolderOf(path_) && folder != path_) return name == base::NameOf(path_) || IsServed(name);
  return true;
}

}  // namespace xdscope::server
