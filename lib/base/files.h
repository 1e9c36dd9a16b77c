// Files and folders, as what watches or serves them sees them: an interface, so that a test has a folder without a
// disk, and the one way to read a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"

namespace xdscope::base {

// Which content a path leads to. Another file, or one that was written since, has another stamp.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;   // the same, of its mode or name too

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Files and folders by their paths. Every error has the system's reason and no name: NOT_FOUND when there is nothing by
// that name, PERMISSION_DENIED, INVALID_ARGUMENT when it is something else (a folder, a pipe, a device) or too large,
// UNAVAILABLE for all others.
class Files {
 public:
  virtual ~Files() = default;

  // Returns the names in a folder, sorted, without "." and "..".
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& folder) const = 0;
  // Returns the stamp of what the path leads to; follows links.
  virtual absl::StatusOr<FileStamp> Stamp(const std::string& path) const = 0;
  // Reads the whole of a regular file of at most `most` bytes. Never waits for a writer: a pipe is an error.
  virtual absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const = 0;
  // Returns the absolute path without links; nothing when it leads nowhere.
  virtual std::string Resolve(const std::string& path) const = 0;
};

// The files of the system.
class DiskFiles final : public Files {
 public:
  absl::StatusOr<std::vector<std::string>> List(const std::string& folder) const override;
  absl::StatusOr<FileStamp> Stamp(const std::string& path) const override;
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const override;
  std::string Resolve(const std::string& path) const override;
};

// Reads at most `most` bytes that a person points to: a regular file, or the end of a pipe that the process was given
// (`<(command)`, /dev/stdin), and then waits for its writer. Fails as Files does, at once: a named pipe is an error.
absl::StatusOr<std::string> ReadGiven(const std::string& path, std::size_t most);

// The path that stands for standard input, whatever that is: a file, a pipe, a socket, a terminal.
inline constexpr std::string_view kStdin = "/dev/stdin";

// The files of the system as a person names them: kStdin and the ends of pipes are files too, read by waiting for
// whoever writes them.
class GivenFiles final : public Files {
 public:
  absl::StatusOr<std::vector<std::string>> List(const std::string& folder) const override;
  absl::StatusOr<FileStamp> Stamp(const std::string& path) const override;
  absl::StatusOr<std::string> Read(const std::string& path, std::size_t most) const override;
  std::string Resolve(const std::string& path) const override { return disk_.Resolve(path); }

 private:
  DiskFiles disk_;
};

// These return the folder that a path is in ("." for a bare name), and its last name.
std::string FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);

}  // namespace xdscope::base
