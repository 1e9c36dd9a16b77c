// Reads a Folder on a thread of its own, so that the loop goes on meanwhile: a file may take a minute. The folder and
// all that it uses belong to that thread while it reads; what it found comes back to the loop as a value.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/loop.h"
#include "lib/base/watcher.h"
#include "lib/files/folder.h"

namespace xdscope::files {

class FolderReader {
 public:
  // How a folder stands after it was read.
  struct Reading {
    Folder::News news;
    std::size_t files = 0;               // Folder::size()
    std::vector<ResourcePtr> resources;  // Folder::Resources()
    std::vector<std::string> watched;    // Folder::WatchedFolders()
  };
  using Done = std::function<void(const Reading&)>;
  using Task = std::function<void()>;

  // `loop` and `folder` must outlive it. Runs `done` on the loop after each reading, and before it `also` on the thread
  // that has read.
  FolderReader(base::Loop& loop, Folder& folder, Done done, Task also = {});
  // Waits for the files that are being read; `done` does not run any more.
  ~FolderReader();
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;

  // Reads what has changed. While a reading is under way this is noted, and one more follows it.
  void Read() { Start({.all = true, .events = {}}); }
  // The same of what Envoy would load after these events: see Folder::LoadMoved().
  void ReadMoved(std::set<base::FolderEvent> events) { Start({.all = false, .events = std::move(events)}); }

 private:
  struct Look {
    bool all = false;
    std::set<base::FolderEvent> events;
  };

  void Start(Look look);
  void Finish(const Reading& reading);

  base::Loop& loop_;
  Folder& folder_;
  Done done_;
  Task also_;
  std::thread thread_;        // joinable while it reads
  std::optional<Look> next_;  // after this reading
  // Lives as long as the reader, for what comes back to the loop when that is gone.
  std::shared_ptr<FolderReader*> self_ = std::make_shared<FolderReader*>(this);
};

}  // namespace xdscope::files
