// Being told when something happens in a folder. An interface, so that a test says itself what has happened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/loop.h"

namespace xdscope::base {

class Watcher {
 public:
  // Is told that a file (or what stands by that name) was written and closed, moved, removed, linked or had its mode
  // changed; or, with an empty `name`, that the folder itself went or too much happened to tell.
  using Task = std::function<void(const std::string& folder, const std::string& name)>;

  virtual ~Watcher() = default;

  // Watches these folders and no others, each by what its path leads to now: after a folder was replaced this has to be
  // called again. Returns those that cannot be watched.
  virtual std::vector<std::string> Watch(const std::vector<std::string>& folders) = 0;
};

// Makes a watcher over inotify. Runs `task` on the loop, which must outlive the watcher. UNAVAILABLE: the system has no
// watch left.
absl::StatusOr<std::unique_ptr<Watcher>> WatchFolders(Loop& loop, Watcher::Task task);

}  // namespace xdscope::base
