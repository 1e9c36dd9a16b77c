#include "cli/console/streams.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "cli/console/disk.h"

namespace xdscope::cli {
namespace {

// Returns 0 once all of it is written, else the error. Waits where the descriptor does not block: whoever shares the
// terminal with us may have made it so.
int WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Drops the line where the descriptor has no room for it.
void WriteNow(int file, std::string_view line) {
  pollfd ready{file, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) (void)WriteAll(file, line);
}

OutputStream ProcessOutput(int file, std::string* error) {
  OutputStream output;
  output.terminal = isatty(file) == 1;
  if (output.terminal) output.width = SizeOfTerminal(file).columns;
  output.write = [file, error, closed = false](std::string_view text) mutable {
    if (closed) return false;
    const int failure = WriteAll(file, text);
    closed = failure != 0;
    if (closed && failure != EPIPE && error != nullptr) *error = std::generic_category().message(failure);
    return !closed;
  };
  return output;
}

std::optional<std::string> Environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

TerminalSize SizeOfTerminal(int descriptor) {
  TerminalSize size;
  winsize said{};
  if (ioctl(descriptor, TIOCGWINSZ, &said) != 0) return size;
  if (said.ws_col > 0) size.columns = said.ws_col;
  if (said.ws_row > 0) size.rows = said.ws_row;
  return size;
}

Streams ProcessStreams(std::string* out_error) {
  std::signal(SIGPIPE, SIG_IGN);
  static const base::GivenFiles files;
  return Streams{ProcessOutput(STDOUT_FILENO, out_error),
                 ProcessOutput(STDERR_FILENO, nullptr),
                 {&ReadFile, &Environment},
                 &files,
                 &MakeFolder,
                 &PutFile,
                 &AppendLine,
                 isatty(STDIN_FILENO) == 1,
                 [](std::string_view line) { WriteNow(STDERR_FILENO, line); },
                 {}};
}

}  // namespace xdscope::cli
