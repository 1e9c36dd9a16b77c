#include "cli/console/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "lib/base/descriptor.h"
#include "lib/base/files.h"

namespace xdscope::cli {
namespace {

absl::Status SystemError(int error) {
  return base::Error(absl::StatusCode::kUnavailable, std::generic_category().message(error));
}

bool IsFolder(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

constexpr std::string_view kThroughLink = "its folder is a link, and nothing is written through links";

bool IsLink(const std::string& path) {
  struct stat about;
  return lstat(path.c_str(), &about) == 0 && S_ISLNK(about.st_mode);
}

// Returns 0 where the folder is there now, else the error. Asks after the attempt, not before: another process may make
// it in between.
int MakeOneFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return 0;
  const int error = errno;
  if (IsFolder(path)) return 0;
  return error == EEXIST ? ENOTDIR : error;
}

// A new file in a folder, under a name that nobody else has. It stands in the folder of the file it becomes because a
// rename is one step only within a file system; without MoveTo() it is removed again.
class Draft {
 public:
  // Demands that the folder outlives the draft.
  Draft(const base::Descriptor& folder, mode_t mode) : folder_(folder) {
    for (int attempt = 0; !file_.is_open() && attempt < 1000; ++attempt) {
      name_ = fmt::format(".xdscope-{}-{}.tmp", getpid(), attempt);
      file_ = base::Descriptor(openat(folder_.number(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
      error_ = file_.is_open() ? 0 : errno;
      if (error_ != 0 && error_ != EEXIST) break;
    }
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (file_.is_open() && !in_place_) unlinkat(folder_.number(), name_.c_str(), 0);
  }

  int Write(std::string_view contents) {
    while (error_ == 0 && !contents.empty()) {
      const ssize_t written = write(file_.number(), contents.data(), contents.size());
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written > 0) contents.remove_prefix(static_cast<std::size_t>(written));
    }
    return error_;
  }

  int MoveTo(const std::string& name) {
    if (error_ == 0 && renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str()) != 0) error_ = errno;
    in_place_ = error_ == 0;
    return error_;
  }

 private:
  const base::Descriptor& folder_;
  std::string name_;
  base::Descriptor file_;
  int error_ = 0;
  bool in_place_ = false;
};

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, std::size_t most) {
  absl::StatusOr<std::string> contents = base::ReadGiven(path, most);
  if (contents.ok()) return contents;
  return base::Error(absl::StatusCode::kInvalidArgument, base::Message(contents.status()));
}

absl::StatusOr<std::string> MakeFolder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (const int error = MakeOneFolder(path.substr(0, slash))) return SystemError(error);
  }
  if (const int error = MakeOneFolder(path)) return SystemError(error);
  std::string absolute = base::DiskFiles().Resolve(path);
  if (absolute.empty()) return SystemError(ENOENT);
  return absolute;
}

absl::Status PutFile(const std::string& path, std::string_view contents, Readers readers) {
  const std::string in = base::FolderOf(path);
  const base::Descriptor folder(open(in.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open())
    return IsLink(in) ? base::Error(absl::StatusCode::kUnavailable, kThroughLink) : SystemError(errno);
  Draft draft(folder, readers == Readers::kOwner ? 0600 : 0666);
  if (const int error = draft.Write(contents)) return SystemError(error);
  if (const int error = draft.MoveTo(std::string(base::NameOf(path)))) return SystemError(error);
  return absl::OkStatus();
}

absl::Status AppendLine(const std::string& path, std::string_view line) {
  if (const absl::StatusOr<std::string> folder = MakeFolder(base::FolderOf(path)); !folder.ok()) return folder.status();
  const base::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return SystemError(errno);
  const std::string whole = std::string(line) + "\n";
  return write(file.number(), whole.data(), whole.size()) < 0 ? SystemError(errno) : absl::OkStatus();
}

}  // namespace xdscope::cli
