// Files without a disk. Every path is taken as one that leads from the root, by no other links than those made here.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "lib/base/files.h"

namespace xdscope::fake {

class MemoryFiles : public base::Files {
 public:
  // Puts a file there, or writes it anew; makes the folders that it is in.
  void Put(const std::string& path, std::string contents) { Keep(path, std::move(contents), absl::OkStatus()); }
  // The file is there, and reading it fails.
  void Spoil(const std::string& path, absl::Status why) { Keep(path, {}, std::move(why)); }
  // Its folder stays.
  void Remove(const std::string& path) { files_.erase(path); }
  // No folder can be listed; OK: they can again.
  void LoseFolder(absl::Status why) { lost_ = std::move(why); }
  // A link to a file, in place of what stood there.
  void Link(const std::string& path, const std::string& target) {
    Put(path, {});
    links_[path] = target;
  }
  // How often a file was read.
  int reads() const { return reads_; }

  absl::StatusOr<std::vector<std::string>> List(const std::string& folder) const override {
    if (!lost_.ok()) return lost_;
    if (files_.contains(folder)) return absl::NotFoundError("Not a directory");
    if (!folders_.contains(folder)) return NotThere();
    std::set<std::string> names;
    for (const auto& [path, file] : files_) {
      if (base::FolderOf(path) == folder) names.emplace(base::NameOf(path));
    }
    for (const std::string& path : folders_) {
      if (path != folder && base::FolderOf(path) == folder) names.emplace(base::NameOf(path));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }
  absl::StatusOr<base::FileStamp> Stamp(const std::string& path) const override {
    if (folders_.contains(path)) return base::FileStamp{1, 0, 0, 0, 0};
    const auto file = files_.find(TargetOf(path));
    if (file == files_.end()) return NotThere();
    return base::FileStamp{1, file->second.written, file->second.contents.size(), 0, 0};
  }
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const override {
    ++reads_;
    if (folders_.contains(path)) return absl::InvalidArgumentError("Is a directory");
    const auto file = files_.find(TargetOf(path));
    if (file == files_.end()) return NotThere();
    if (!file->second.spoiled.ok()) return file->second.spoiled;
    if (file->second.contents.size() <= most) return file->second.contents;
    return absl::InvalidArgumentError(fmt::format("larger than {} MB", most >> 20));
  }
  std::string Resolve(const std::string& path) const override {
    return files_.contains(TargetOf(path)) || folders_.contains(path) ? TargetOf(path) : std::string();
  }

 private:
  struct File {
    std::string contents;
    absl::Status spoiled;
    std::uint64_t written = 0;
  };

  const std::string& TargetOf(const std::string& path) const {
    const auto link = links_.find(path);
    return link == links_.end() ? path : link->second;
  }
  static absl::Status NotThere() { return absl::NotFoundError("No such file or directory"); }

  void Keep(const std::string& path, std::string contents, absl::Status spoiled) {
    files_[path] = {std::move(contents), std::move(spoiled), ++writes_};
    for (std::string folder = base::FolderOf(path); folders_.insert(folder).second;) folder = base::FolderOf(folder);
  }

  std::map<std::string, File> files_;
  std::map<std::string, std::string> links_;
  std::set<std::string> folders_;
  absl::Status lost_;
  std::uint64_t writes_ = 0;
  mutable int reads_ = 0;
};

}  // namespace xdscope::fake
