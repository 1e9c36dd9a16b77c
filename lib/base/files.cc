#include "lib/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "lib/base/descriptor.h"

namespace xdscope::base {
namespace {

absl::Status SystemError(int error) {
  const std::string reason = std::generic_category().message(error);
  if (error == ENOENT || error == ENOTDIR) return Error(absl::StatusCode::kNotFound, reason);
  if (error == EACCES || error == EPERM) return Error(absl::StatusCode::kPermissionDenied, reason);
  if (error == EISDIR || error == ENXIO) return Error(absl::StatusCode::kInvalidArgument, reason);
  return Error(absl::StatusCode::kUnavailable, reason);
}

// Never waits, as the open of a named pipe without a writer would.
Descriptor OpenToRead(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

absl::Status TooLarge(std::size_t most) {
  return Error(absl::StatusCode::kInvalidArgument, fmt::format("larger than {} MB", most >> 20));
}

// Reads to the end. `size` is only a guess, because a file may grow while it is read and a pipe has none; `most` is
// counted in what came.
absl::StatusOr<std::string> ReadFrom(int file, std::size_t size, std::size_t most) {
  std::string contents;
  contents.reserve(size);
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {  // whoever shares it with us has made it so
      pollfd ready{file, POLLIN, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (got < 0) return SystemError(errno);
    if (got == 0) return contents;
    if (static_cast<std::size_t>(got) > most - contents.size()) return TooLarge(most);
    contents.append(buffer, static_cast<std::size_t>(got));
  }
}

// `file` is what open() made, or failed to make just now.
absl::StatusOr<std::string> ReadRegular(const Descriptor& file, std::size_t most) {
  struct stat about;
  if (!file.is_open() || fstat(file.number(), &about) != 0) return SystemError(errno);
  if (S_ISDIR(about.st_mode)) return SystemError(EISDIR);
  if (!S_ISREG(about.st_mode)) return Error(absl::StatusCode::kInvalidArgument, "not a regular file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size > most) return TooLarge(most);
  return ReadFrom(file.number(), size, most);
}

// Returns true for a pipe that no file system knows by a name: somebody made both ends and handed us one.
bool IsNamelessPipe(int file) {
  struct statfs about;
  return fstatfs(file, &about) == 0 && about.f_type == PIPEFS_MAGIC;
}

std::int64_t Nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> DiskFiles::List(const std::string& folder) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), &closedir);
  if (open == nullptr) return SystemError(errno);
  std::vector<std::string> names;
  for (errno = 0;;) {
    const dirent* entry = readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return SystemError(errno);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<FileStamp> DiskFiles::Stamp(const std::string& path) const {
  struct stat about;
  if (stat(path.c_str(), &about) != 0) return SystemError(errno);
  return FileStamp{about.st_dev, about.st_ino, static_cast<std::uint64_t>(about.st_size), Nanoseconds(about.st_mtim),
                   Nanoseconds(about.st_ctim)};
}

absl::StatusOr<std::string> DiskFiles::Read(const std::string& path, std::size_t most) const {
  const Descriptor file = OpenToRead(path);
  return ReadRegular(file, most);
}

std::string DiskFiles::Resolve(const std::string& path) const {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), &free);
  return resolved == nullptr ? std::string() : std::string(resolved.get());
}

absl::StatusOr<std::string> ReadGiven(const std::string& path, std::size_t most) {
  const Descriptor file = OpenToRead(path);
  if (!file.is_open() || !IsNamelessPipe(file.number())) return ReadRegular(file, most);
  if (fcntl(file.number(), F_SETFL, 0) != 0) return SystemError(errno);  // from here on it waits
  return ReadFrom(file.number(), 0, most);
}

absl::StatusOr<std::vector<std::string>> GivenFiles::List(const std::string& folder) const {
  return folder == kStdin ? SystemError(ENOTDIR) : disk_.List(folder);
}

absl::StatusOr<FileStamp> GivenFiles::Stamp(const std::string& path) const {
  return path == kStdin ? FileStamp() : disk_.Stamp(path);
}

absl::StatusOr<std::string> GivenFiles::Read(const std::string& path, std::size_t most) const {
  return path == kStdin ? ReadFrom(STDIN_FILENO, 0, most) : ReadGiven(path, most);
}

std::string FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string_view NameOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace xdscope::base
