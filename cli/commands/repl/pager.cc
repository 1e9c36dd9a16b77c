#include "cli/commands/repl/pager.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "cli/commands/repl/loop_wait.h"
#include "lib/base/descriptor.h"
#include "lib/base/readable.h"

namespace xdscope::cli {
namespace {

// Puts the text where a child can read it without anybody having to write on meanwhile: a file in memory.
base::Descriptor FileOf(std::string_view text) {
  base::Descriptor file(memfd_create("xdscope-output", MFD_CLOEXEC));
  while (file.is_open() && !text.empty()) {
    const ssize_t written = write(file.number(), text.data(), text.size());
    if (written < 0 && errno != EINTR) return base::Descriptor();
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file.is_open()) lseek(file.number(), 0, SEEK_SET);
  return file;
}

// Starts a shell command with this input, and with signals as a program expects to find them. Returns 0 where that
// fails.
pid_t Start(const std::string& command, const base::Descriptor& input) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.number(), STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const char* const arguments[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, "/bin/sh", &files, &attributes, const_cast<char**>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : 0;
}

}  // namespace

bool RunPager(base::Loop& loop, const std::string& command, std::string_view text, const bool& ended) {
  const base::Descriptor file = FileOf(text);
  if (!file.is_open()) return false;
  setenv("LESS", "FRX", 0);  // as git does: leave where it fits, let colours through, keep the screen
  const pid_t child = Start(command, file);
  if (child == 0) return false;
  const base::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  if (process.is_open()) {
    base::Readable readable(loop, process.number());
    RunUntilReadable(loop, readable, ended);
  }
  if (ended) kill(child, SIGTERM);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  constexpr int kNotFound = 127;
  return !WIFEXITED(status) || WEXITSTATUS(status) != kNotFound;
}

}  // namespace xdscope::cli
