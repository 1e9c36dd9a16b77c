// A FileSource over files in memory, read where a test's clock says so.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/type_url.h"
#include "lib/source/file_source.h"
#include "lib/types/known_types.h"
#include "tests/fake/fake_clock.h"
#include "tests/fake/memory_files.h"

namespace xdscope::source {

class MemoryFolder {
 public:
  MemoryFolder(fake::FakeClock& clock, wire::Types& types, const std::string& path = "mesh")
      : clock_(clock), types_(types), folder_(path, files_, types, files::Strictness::kLenient) {}

  fake::MemoryFiles& files() { return files_; }

  // Puts resources of these names into a file of their own.
  void Put(std::string_view type_url, const std::vector<std::string>& names) {
    const types::KnownType& type = types::RowOf(type_url);
    std::string text;
    for (const std::string& name : names) {
      text += fmt::format("- {{'@type': '{}', {}: '{}'}}\n", type_url, type.name_field, name);
    }
    files_.Put(fmt::format("mesh/{}.yaml", type.short_name), text);
  }

  // Makes the source; the folder must outlive it.
  std::unique_ptr<FileSource> MakeSource(FileSource::Life life = FileSource::Life::kOneReading) {
    auto source = std::make_unique<FileSource>(
        clock_, types_, [this] { timer_ = clock_.After({}, [this](base::Time) { Read(); }); }, life,
        [this](bool on) {
          is_watched_ = on;
          return absl::OkStatus();
        });
    source_ = source.get();
    return source;
  }

  // Whether the source wants to be told of what happens.
  bool is_watched() const { return is_watched_; }

  // Reads what has changed.
  void Read() { Hand(folder_.Rescan()); }
  // The same after something was moved to this name, or happened to it.
  void ReadMoved(const std::string& name, base::FolderEvent::Kind kind = base::FolderEvent::Kind::kMovedHere) {
    Hand(folder_.LoadMoved({{folder_.path(), name, kind}}));
  }

 private:
  void Hand(files::Folder::News news) {
    source_->Take({.news = std::move(news), .files = folder_.size(), .resources = folder_.Resources(), .watched = {}});
  }

  fake::FakeClock& clock_;
  wire::Types& types_;
  fake::MemoryFiles files_;
  files::Folder folder_;
  FileSource* source_ = nullptr;
  bool is_watched_ = false;
  base::Timer timer_;
};

}  // namespace xdscope::source
