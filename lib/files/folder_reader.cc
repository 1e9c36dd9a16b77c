#include "lib/files/folder_reader.h"

#include <memory>
#include <utility>

namespace xdscope::files {

FolderReader::FolderReader(base::Loop& loop, Folder& folder, Done done, Task also)
    : loop_(loop), folder_(folder), done_(std::move(done)), also_(std::move(also)) {}

FolderReader::~FolderReader() {
  if (thread_.joinable()) thread_.join();
}

void FolderReader::Start(Look look) {
  if (thread_.joinable()) {
    if (next_) {
      look.all |= next_->all;
      look.events.merge(next_->events);
    }
    next_ = std::move(look);
    return;
  }
  thread_ = std::thread([this, look = std::move(look)] {
    auto reading = std::make_shared<Reading>();
    reading->news = look.all ? folder_.Rescan() : folder_.LoadMoved(look.events);
    reading->files = folder_.size();
    reading->resources = folder_.Resources();
    reading->watched = folder_.WatchedFolders();
    if (also_) also_();
    loop_.Post([self = std::weak_ptr(self_), reading] {
      if (const auto reader = self.lock()) (*reader)->Finish(*reading);
    });
  });
}

void FolderReader::Finish(const Reading& reading) {
  thread_.join();
  if (next_) Start(*std::exchange(next_, std::nullopt));
  done_(reading);
}

}  // namespace xdscope::files
