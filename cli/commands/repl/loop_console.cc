#include "cli/commands/repl/loop_console.h"

#include <unistd.h>

#include <cerrno>

namespace xdscope::cli {

void LoopConsole::Announce(std::string_view line) {
  out_.write(std::string(line) + "\n");
}

// Looks after the event is over, since a listener may hear of it in its middle.
void LoopConsole::Changed() {
  if (waits_for_ == nullptr) return;
  loop_.Post([this] {
    if (waits_for_ != nullptr && (*waits_for_)()) loop_.Stop();
  });
}

bool LoopConsole::Wait(const std::function<bool()>& done, base::Duration limit) {
  if (done()) return true;
  if (interrupted_) return false;
  waits_for_ = &done;
  const base::Timer timer = loop_.After(limit, [this](base::Time) { loop_.Stop(); });
  loop_.Run();
  waits_for_ = nullptr;
  return done();
}

bool LoopConsole::NextLine(int descriptor, std::string* line) {
  base::Readable readable(loop_, descriptor);
  std::size_t end = input_.find('\n');
  while (end == std::string::npos && !ended_ && !interrupted_) {
    readable.Wait([this] { loop_.Stop(); });
    loop_.Run();
    if (interrupted_) return false;
    char bytes[4096];
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size > 0) input_.append(bytes, static_cast<std::size_t>(size));
    ended_ = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
    end = input_.find('\n');
  }
  if (interrupted_ || (end == std::string::npos && input_.empty())) return false;
  *line = input_.substr(0, end);
  input_.erase(0, end == std::string::npos ? end : end + 1);
  return true;
}

void LoopConsole::Interrupt() {
  interrupted_ = true;
  loop_.Stop();
}

}  // namespace xdscope::cli
