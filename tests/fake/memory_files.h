// Files without a disk.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "lib/base/files.h"

namespace xdscope::fake {

class MemoryFiles final : public base::Files {
 public:
  // Puts a file there, or writes it anew.
  void Put(const std::string& path, std::string contents) { files_[path] = {std::move(contents), {}, ++writes_}; }
  // The file is there, and reading it fails.
  void Spoil(const std::string& path, absl::Status why) { files_[path] = {{}, std::move(why), ++writes_}; }
  void Remove(const std::string& path) { files_.erase(path); }
  // The folder cannot be listed; OK: it can again.
  void LoseFolder(absl::Status why) { lost_ = std::move(why); }
  // How often a file was read.
  int reads() const { return reads_; }

  absl::StatusOr<std::vector<std::string>> List(const std::string& folder) const override {
    if (!lost_.ok()) return lost_;
    std::vector<std::string> names;
    for (const auto& [path, file] : files_) {
      if (base::FolderOf(path) == folder) names.emplace_back(base::NameOf(path));
    }
    return names;
  }
  absl::StatusOr<base::FileStamp> Stamp(const std::string& path) const override {
    const auto file = files_.find(path);
    if (file == files_.end()) return absl::NotFoundError("No such file or directory");
    return base::FileStamp{1, file->second.written, file->second.contents.size(), 0, 0};
  }
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const override {
    ++reads_;
    const auto file = files_.find(path);
    if (file == files_.end()) return absl::NotFoundError("No such file or directory");
    if (!file->second.spoiled.ok()) return file->second.spoiled;
    if (file->second.contents.size() > most) return absl::InvalidArgumentError("too large");
    return file->second.contents;
  }
  std::string Resolve(const std::string& path) const override { return path; }

 private:
  struct File {
    std::string contents;
    absl::Status spoiled;
    std::uint64_t written = 0;
  };
  std::map<std::string, File> files_;
  absl::Status lost_;
  std::uint64_t writes_ = 0;
  mutable int reads_ = 0;
};

}  // namespace xdscope::fake
