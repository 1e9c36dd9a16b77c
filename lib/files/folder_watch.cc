#include "lib/files/folder_watch.h"

#include <utility>

namespace xdscope::files {

FolderWatch::FolderWatch(base::Loop& loop, Folder& folder, FolderReader::Done done, FolderReader::Task also)
    : loop_(loop),
      folder_(folder),
      done_(std::move(done)),
      reader_(
          loop, folder, [this](const FolderReader::Reading& reading) { Take(reading); }, std::move(also)) {}

absl::Status FolderWatch::Watch(Rule rule) {
  rule_ = rule;
  settle_.Cancel();
  events_.clear();
  watcher_.reset();
  if (rule_ == Rule::kNever) return absl::OkStatus();
  auto watcher = base::WatchFolders(loop_, [this](const base::FolderEvent& event) { On(event); });
  if (!watcher.ok()) return watcher.status();
  watcher_ = *std::move(watcher);
  watcher_->Watch(watched_);
  return absl::OkStatus();
}

// Watches before it reads, so that nothing is missed between the two: what happens meanwhile is read twice, which
// changes nothing. The folder is the reader's own while that reads.
void FolderWatch::Read() {
  if (watched_.empty()) watched_ = folder_.WatchedFolders();
  if (watcher_ != nullptr) watcher_->Watch(watched_);
  reader_.Read();
}

// Envoy reads a file in the moment in which it is moved.
void FolderWatch::On(const base::FolderEvent& event) {
  if (!folder_.Concerns(event)) return;
  const bool begins = events_.empty();
  events_.insert(event);
  if (rule_ == Rule::kMoves && event.kind == base::FolderEvent::Kind::kMovedHere) return ReadAgain();
  if (begins) settle_ = loop_.After(kSettle, [this](base::Time) { ReadAgain(); });
}

// The folder may be another one by now, with a watch of its own.
void FolderWatch::ReadAgain() {
  settle_.Cancel();
  watcher_->Watch(watched_);
  std::set<base::FolderEvent> events = std::exchange(events_, {});
  rule_ == Rule::kMoves ? reader_.ReadMoved(std::move(events)) : reader_.Read();
}

// A link may lead elsewhere now, to a folder that was not watched while it was read: then that is read once more, which
// costs nothing where nothing has changed. Envoy does not look at where links lead to.
void FolderWatch::Take(const FolderReader::Reading& reading) {
  const bool leads_elsewhere = std::exchange(watched_, reading.watched) != reading.watched;
  if (watcher_ != nullptr && leads_elsewhere) {
    watcher_->Watch(watched_);
    if (rule_ == Rule::kAnyWrite) reader_.Read();
  }
  done_(reading);
}

}  // namespace xdscope::files
