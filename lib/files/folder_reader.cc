#include "lib/files/folder_reader.h"

#include <memory>
#include <utility>

namespace xdscope::files {

FolderReader::FolderReader(base::Loop& loop, Folder& folder, Done done)
    : loop_(loop), folder_(folder), done_(std::move(done)) {}

FolderReader::~FolderReader() {
  if (thread_.joinable()) thread_.join();
}

void FolderReader::Read() {
  if (thread_.joinable()) {
    again_ = true;
    return;
  }
  thread_ = std::thread([this] {
    auto reading = std::make_shared<Reading>();
    reading->news = folder_.Rescan();
    reading->files = folder_.size();
    reading->resources = folder_.Resources();
    reading->watched = folder_.WatchedFolders();
    loop_.Post([this, reading] { Finish(*reading); });
  });
}

void FolderReader::Finish(const Reading& reading) {
  thread_.join();
  done_(reading);
  if (std::exchange(again_, false)) Read();
}

}  // namespace xdscope::files
