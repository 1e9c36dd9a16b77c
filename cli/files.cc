#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace xdscope::cli {
namespace {

absl::Status SystemError(int error) {
  return base::Error(absl::StatusCode::kInvalidArgument, std::generic_category().message(error));
}

absl::StatusOr<std::string> ReadAll(int file) {
  std::string contents;
  struct stat about;
  if (fstat(file, &about) == 0 && about.st_size > 0) contents.reserve(static_cast<std::size_t>(about.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(errno);
    if (got == 0) return contents;
    contents.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError(errno);
  absl::StatusOr<std::string> contents = ReadAll(file);
  close(file);
  return contents;
}

}  // namespace xdscope::cli
