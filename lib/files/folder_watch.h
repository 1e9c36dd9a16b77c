// Keeps a folder read: reads it when it is told to, watches it, and reads it again when something has happened to its
// files. What happens within a moment is one change.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/base/loop.h"
#include "lib/base/status.h"
#include "lib/base/watcher.h"
#include "lib/files/folder.h"
#include "lib/files/folder_reader.h"

namespace xdscope::files {

class FolderWatch {
 public:
  // After what a file is read again.
  enum class Rule : std::uint8_t {
    kNever,     // only when it is told to
    kMoves,     // as Envoy does: see Folder::LoadMoved()
    kAnyWrite,  // after whatever happens to it
  };

  // `loop` and `folder` must outlive it. Runs `done` on the loop after each reading, not any more once it is gone; and
  // before it `also` on the thread that has read.
  FolderWatch(base::Loop& loop, Folder& folder, FolderReader::Done done, FolderReader::Task also = {});

  // Watches by this rule from now on; what happened before is not told. UNAVAILABLE: the system has no watch left.
  absl::Status Watch(Rule rule);
  // Reads what is there now. While a reading is under way, one more follows it.
  void Read();

 private:
  // What is written in several steps within this time (by an editor, by swapping a link) is one change.
  static constexpr std::chrono::milliseconds kSettle{50};

  void On(const base::FolderEvent& event);
  void ReadAgain();
  void Take(const FolderReader::Reading& reading);

  base::Loop& loop_;
  Folder& folder_;
  Rule rule_ = Rule::kNever;
  FolderReader::Done done_;
  FolderReader reader_;
  std::unique_ptr<base::Watcher> watcher_;  // nullptr: kNever
  std::vector<std::string> watched_;        // what there is to watch; empty before the first reading
  std::set<base::FolderEvent> events_;      // that no reading has taken up
  base::Timer settle_;
};

}  // namespace xdscope::files
