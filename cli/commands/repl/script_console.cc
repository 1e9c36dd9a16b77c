#include "cli/commands/repl/script_console.h"

#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "cli/commands/repl/repl.h"
#include "lib/config/surroundings.h"

namespace xdscope::cli {

ScriptConsole::ScriptConsole(base::Loop& loop, const OutputStream& out, int input, bool prompts,
                             const std::function<void()>& nobody_reads)
    : loop_(loop), out_(out), wait_(loop), input_(input), readable_(loop, input), prompts_(prompts) {
  out_.write = [this, &out, nobody_reads](std::string_view text) {
    const bool written = out.write(text);
    if (!written && !ended_) {
      End();
      nobody_reads();
    }
    return written;
  };
}

bool ScriptConsole::NextLine(Repl& repl, std::string* line) {
  if (prompts_) {
    prompt_ = repl.Prompt();
    out_.write(prompt_);
    prompted_ = true;
  }
  std::size_t end = FindEnd();
  while (end == std::string::npos && !over_ && !ended_) {
    Read();
    end = FindEnd();
  }
  searched_ = 0;
  prompted_ = false;
  if (ended_ || (end == std::string::npos && unread_.empty())) return false;
  *line = unread_.substr(0, end);
  const bool at_newline = end < unread_.size() && unread_[end] == '\n';
  unread_.erase(0, at_newline ? end + 1 : end);
  typed_.Add(*line);
  return true;
}

// A line that does not end is one after as many bytes as a file of settings may have.
std::size_t ScriptConsole::FindEnd() {
  const std::size_t end = unread_.find('\n', searched_);
  searched_ = unread_.size();
  return end == std::string::npos && unread_.size() >= config::kMostOfFile ? config::kMostOfFile : end;
}

// Takes the next bytes of the input, whenever they come.
void ScriptConsole::Read() {
  RunUntilReadable(loop_, readable_, ended_);
  if (ended_) return;
  char bytes[4096];
  const ssize_t size = read(input_, bytes, sizeof bytes);
  if (size > 0) unread_.append(bytes, static_cast<std::size_t>(size));
  over_ = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

// What a person has begun to type stays with the terminal; only the prompt is said again.
void ScriptConsole::Announce(std::string_view lines) {
  out_.write(fmt::format("{}{}\n{}", prompted_ ? "\n" : "", lines, prompted_ ? prompt_ : ""));
}

absl::Status ScriptConsole::Wait(const std::function<bool()>& done, base::Duration limit) {
  return ended_ ? absl::CancelledError("interrupted") : wait_.Wait(done, limit);
}

// The terminal itself has dropped the line.
void ScriptConsole::Interrupt() {
  if (prompted_) out_.write(fmt::format("\n{}", prompt_));
  if (wait_.Interrupt()) out_.write("\n");
}

void ScriptConsole::End() {
  ended_ = true;
  if (!wait_.Interrupt()) loop_.Stop();
}

}  // namespace xdscope::cli
