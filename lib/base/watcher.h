// Being told when something happens in a folder. An interface, so that a test says itself what has happened.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/loop.h"

namespace xdscope::base {

// What happened to a name in a folder that is watched.
struct FolderEvent {
  enum class Kind : std::uint8_t {
    kMovedHere,  // something was renamed to this name
    kTouched,    // what stands by it was written and closed, linked, removed, moved away or had its mode changed
    kLost,       // the folder itself went; without a folder: too much happened to tell
  };

  std::string folder;  // as Watch() was given it
  std::string name;    // empty: kLost
  Kind kind = Kind::kTouched;

  friend auto operator<=>(const FolderEvent&, const FolderEvent&) = default;
};

class Watcher {
 public:
  using Task = std::function<void(const FolderEvent& event)>;

  virtual ~Watcher() = default;

  // Watches these folders and no others, each by what its path leads to now: after a folder was replaced this has to be
  // called again. Returns those that cannot be watched.
  virtual std::vector<std::string> Watch(const std::vector<std::string>& folders) = 0;
};

// Makes a watcher over inotify. Runs `task` on the loop, which must outlive the watcher. UNAVAILABLE: the system has no
// watch left.
absl::StatusOr<std::unique_ptr<Watcher>> WatchFolders(Loop& loop, Watcher::Task task);

}  // namespace xdscope::base
