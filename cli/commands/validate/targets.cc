#include "cli/commands/validate/targets.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lib/base/status.h"
#include "lib/files/folder.h"

namespace xdscope::cli {
namespace {

// Returns whether a file of a folder is judged: one that Envoy can read, and text proto under the names that others
// give it, which Envoy would take for JSON.
bool IsJudged(std::string_view name) {
  constexpr std::string_view kTextProto[] = {".txtpb", ".textproto", ".textpb", ".pbtxt", ".prototxt"};
  const auto ends = [name](std::string_view suffix) { return name.ends_with(suffix); };
  return files::IsDiscoveryFile(name) || (!name.starts_with('.') && std::ranges::any_of(kTextProto, ends));
}

bool AddFile(const std::string& name, const std::string& path, std::size_t set, const base::Files& files,
             client::FileJudge* judge) {
  absl::StatusOr<std::string> text = files.Read(path, files::Folder::kLargestFile);
  if (!text.ok()) {
    judge->AddUnreadable(name, text.status());
    return false;
  }
  judge->Add(name, *std::move(text), set);
  return true;
}

// "cds.yaml" in "." is not "./cds.yaml": a person knows where they are, and other tools go by the shorter name.
std::string PathIn(const std::string& folder, const std::string& name) {
  if (folder == ".") return name;
  return folder.ends_with('/') ? folder + name : fmt::format("{}/{}", folder, name);
}

}  // namespace

std::function<bool(std::string_view path, std::string_view file)> MissingFiles(const std::string& root,
                                                                               const std::vector<std::string>& targets,
                                                                               const base::Files& files) {
  std::set<std::string> folders;  // and files, which no file is in
  for (const std::string& target : targets) folders.insert(PathIn(target, {}));
  return [root, folders, &files](std::string_view path, std::string_view file) {
    const auto is_there = [&files](const std::string& name) { return !absl::IsNotFound(files.Stamp(name).status()); };
    const std::string name(path);
    if (!root.empty()) return !is_there(PathIn(root, name));
    const std::string folder = base::FolderOf(file);
    if (name.starts_with('/') || !folders.contains(PathIn(folder, {}))) return false;
    return !is_there(name) && !is_there(PathIn(folder, name));
  };
}

void AddNamedFiles(const std::string& root, const base::Files& files, client::FileJudge* judge) {
  std::set<std::string> added;
  for (bool more = true; more;) {
    more = false;
    for (const std::string& name : judge->FilesNamed()) {
      if (!added.insert(name).second) continue;
      const std::string path = root.empty() ? name : PathIn(root, name);
      absl::StatusOr<std::string> text = files.Read(path, files::Folder::kLargestFile);
      more = true;
      if (text.ok()) {
        judge->Add(path, *std::move(text));
      } else if (root.empty() || !absl::IsNotFound(text.status())) {
        judge->AddMissing(path, text.status());
      }
    }
  }
}

bool AddTarget(const std::string& target, std::size_t set, const base::Files& files, client::FileJudge* judge) {
  if (target == "-") return AddFile(target, std::string(base::kStdin), 0, files, judge);
  absl::StatusOr<std::vector<std::string>> names = files.List(target);
  if (!names.ok()) return AddFile(target, target, 0, files, judge);
  std::erase_if(*names, [](const std::string& name) { return !IsJudged(name); });
  if (names->empty()) {
    judge->AddUnreadable(target, base::Error(absl::StatusCode::kNotFound,
                                             "there are no discovery files in this folder (.yaml, .yml, .json, .pb, "
                                             ".pb_text)"));
    return false;
  }
  for (const std::string& name : *names) AddFile(PathIn(target, name), PathIn(target, name), set, files, judge);
  return true;
}

}  // namespace xdscope::cli
