#include "lib/base/watcher.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <map>
#include <system_error>

#include "lib/base/status.h"

namespace xdscope::base {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |
                                  IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// Tells whether a name that just appeared has its content already. A file that was created is empty, and that it was
// written and closed will be told; a symbolic or hard link is whole at once, and nothing else will be told of it.
bool IsWholeWhenCreated(const std::string& path) {
  struct stat about;
  return lstat(path.c_str(), &about) == 0 && (!S_ISREG(about.st_mode) || about.st_nlink > 1);
}

class InotifyWatcher final : public Watcher {
 public:
  InotifyWatcher(Loop& loop, int queue, Task task) : queue_(loop.context(), queue), task_(std::move(task)) { Wait(); }

  std::vector<std::string> Watch(const std::vector<std::string>& folders) override {
    std::map<int, std::string> watches;
    std::vector<std::string> failed;
    for (const std::string& folder : folders) {
      const int watch = inotify_add_watch(queue_.native_handle(), folder.c_str(), kEvents);
      if (watch < 0) {
        failed.push_back(folder);
      } else {
        watches.emplace(watch, folder);
      }
    }
    // The kernel gives one folder one watch, by whatever path it was added. So new ones come first: a folder that stays
    // keeps its watch, and nothing that happens meanwhile is lost.
    for (const auto& [watch, folder] : watches_) {
      if (!watches.contains(watch)) inotify_rm_watch(queue_.native_handle(), watch);
    }
    watches_ = std::move(watches);
    return failed;
  }

 private:
  void Wait() {
    queue_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
      if (error) return;
      Wait();
      ReadEvents();
    });
  }

  void ReadEvents() {
    alignas(inotify_event) char buffer[1 << 14];
    const ssize_t size = read(queue_.native_handle(), buffer, sizeof buffer);
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      Tell(*event);
    }
  }

  // An overflow has lost events of some folder, so everything may have changed. IN_IGNORED is the last event of a
  // watch, and the kernel may give its number to another.
  void Tell(const inotify_event& event) {
    using Kind = FolderEvent::Kind;
    if ((event.mask & IN_Q_OVERFLOW) != 0) return task_({{}, {}, Kind::kLost});
    const auto watch = watches_.find(event.wd);
    if (watch == watches_.end()) return;
    const std::string folder = watch->second;
    const std::string name = event.len > 0 ? event.name : "";
    const bool created = (event.mask & IN_CREATE) != 0;
    if (created && !IsWholeWhenCreated(folder + "/" + name)) return;
    if ((event.mask & IN_IGNORED) != 0) watches_.erase(watch);
    const bool moved = (event.mask & IN_MOVED_TO) != 0;
    task_({folder, name, name.empty() ? Kind::kLost : moved ? Kind::kMovedHere : Kind::kTouched});
  }

  boost::asio::posix::stream_descriptor queue_;
  Task task_;
  std::map<int, std::string> watches_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Watcher>> WatchFolders(Loop& loop, Watcher::Task task) {
  const int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (queue < 0) {
    return Error(absl::StatusCode::kUnavailable, "inotify: " + std::generic_category().message(errno));
  }
  return std::make_unique<InotifyWatcher>(loop, queue, std::move(task));
}

}  // namespace xdscope::base
