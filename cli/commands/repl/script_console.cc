#include "cli/commands/repl/script_console.h"

#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "cli/commands/repl/repl.h"

namespace xdscope::cli {

bool ScriptConsole::NextLine(Repl& repl, std::string* line) {
  if (prompts_) {
    prompt_ = repl.Prompt();
    out_.write(prompt_);
    prompted_ = true;
  }
  std::size_t end = unread_.find('\n');
  while (end == std::string::npos && !over_ && !ended_) {
    Read();
    end = unread_.find('\n');
  }
  prompted_ = false;
  if (ended_ || (end == std::string::npos && unread_.empty())) return false;
  *line = unread_.substr(0, end);
  unread_.erase(0, end == std::string::npos ? end : end + 1);
  typed_.push_back(*line);
  return true;
}

// Takes the next bytes of the input, whenever they come.
void ScriptConsole::Read() {
  bool ready = false;
  readable_.Wait([this, &ready] {
    ready = true;
    loop_.Stop();
  });
  while (!ready && !ended_) loop_.Run();
  readable_.Cancel();
  if (ended_) return;
  char bytes[4096];
  const ssize_t size = read(input_, bytes, sizeof bytes);
  if (size > 0) unread_.append(bytes, static_cast<std::size_t>(size));
  over_ = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

// What a person has begun to type stays with the terminal; only the prompt is said again.
void ScriptConsole::Announce(std::string_view line) {
  out_.write(fmt::format("{}{}\n{}", prompted_ ? "\n" : "", line, prompted_ ? prompt_ : ""));
}

bool ScriptConsole::Wait(const std::function<bool()>& done, base::Duration limit) {
  return !ended_ && wait_.Wait(done, limit);
}

void ScriptConsole::Interrupt() {
  if (prompted_) out_.write(fmt::format("\n{}", prompt_));
  wait_.Interrupt();
}

void ScriptConsole::End() {
  ended_ = true;
  loop_.Stop();
}

}  // namespace xdscope::cli
