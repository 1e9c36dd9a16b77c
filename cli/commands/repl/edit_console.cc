#include "cli/commands/repl/edit_console.h"

#include <unistd.h>
#include <csignal>

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/repl/pager.h"
#include "cli/commands/repl/repl.h"
#include "cli/commands/repl/words.h"
#include "lib/format/colors.h"

namespace xdscope::cli {

EditConsole::EditConsole(base::Loop& loop, const OutputStream& terminal, Settings settings)
    : loop_(loop),
      terminal_(terminal),
      settings_(std::move(settings)),
      wait_(loop),
      keyboard_(loop, STDIN_FILENO),
      editor_({.await_key = [this] { AwaitKey(); },
               .complete = [this](std::string_view line) { return Complete(*repl_, line); },
               .quote = &Quoted}),
      resized_(loop, SIGWINCH,
               [this] {
                 editor_.OnResize();
                 out_.width = static_cast<int>(editor_.columns());
               }),
      stopped_(loop, SIGTSTP, [this] { Stop(); }),
      out_(terminal),
      history_(settings_.history) {
  out_.write = [this](std::string_view text) {
    if (settings_.interrupted()) return false;
    printed_.append(text);
    return true;
  };
  for (const std::string& line : history_.lines()) editor_.Remember(line);
}

bool EditConsole::NextLine(Repl& repl, std::string* line) {
  repl_ = &repl;
  while (!ended_) {
    ShowPrinted();
    SayQueued();
    if (ended_) break;  // while a pager ran
    const LineEditor::End end = editor_.ReadLine(repl.Prompt(), line);
    if (end == LineEditor::End::kInterrupted) continue;
    if (end == LineEditor::End::kInputOver) break;
    if (line->find_first_not_of(" \t") == line->npos) continue;
    editor_.Remember(*line);
    history_.Add(*line);
    settings_.keep(*line);
    return true;
  }
  terminal_.write("\n");
  return false;
}

void EditConsole::AwaitKey() {
  RunUntilReadable(loop_, keyboard_, woken_);
  woken_ = false;
}

absl::Status EditConsole::Wait(const std::function<bool()>& done, base::Duration limit) {
  ShowPrinted();
  SayQueued();
  return ended_ ? absl::CancelledError("interrupted") : wait_.Wait(done, limit);
}

void EditConsole::Interrupt() {
  if (editor_.is_reading()) {
    editor_.Interrupt();
    woken_ = true;
    loop_.Stop();
  }
  if (wait_.Interrupt()) terminal_.write("\n");  // behind the terminal's own ^C
  pager_interrupted_ = paging_;
}

void EditConsole::End() {
  ended_ = true;
  if (paging_) loop_.Stop();
  Interrupt();
}

// ---- What happens by itself.

void EditConsole::Remark(std::string_view line) {
  const bool color = repl_ == nullptr ? settings_.color : repl_->settings().output.style.color;
  Queue(color ? fmt::format("{}{}{}", format::kDimColor, line, format::kPlainColor) : std::string(line));
}

// What comes in one moment is drawn together, so that a flood leaves time for keys.
void EditConsole::Queue(std::string lines) {
  if (queued_.size() < kMostAnnounced) {
    queued_.push_back(std::move(lines));
  } else {
    ++left_out_;
  }
  if (queued_.size() > 1) return;
  const base::Time when = std::max(loop_.Now(), said_at_ + kMoment);
  say_ = loop_.At(when, [this](base::Time) { SayQueued(); });
}

void EditConsole::SayQueued() {
  if (paging_ || queued_.empty()) return;
  say_.Cancel();
  said_at_ = loop_.Now();
  std::string text;
  for (const std::string& lines : std::exchange(queued_, {})) text += lines + "\n";
  if (left_out_ > 0) text += fmt::format("   … and {} more lines; log has them all\n", std::exchange(left_out_, 0));
  if (editor_.is_reading()) return editor_.WriteAbove(text, repl_->Prompt());
  terminal_.write(text);
}

void EditConsole::ShowPrinted() {
  const std::string text = std::exchange(printed_, {});
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines >= editor_.rows() && !settings_.pager.empty()) {
    paging_ = true;
    const bool shown = RunPager(loop_, settings_.pager, text, ended_);
    paging_ = false;
    if (std::exchange(pager_interrupted_, false)) terminal_.write("\n");  // behind the terminal's own ^C
    if (shown) return;
  }
  terminal_.write(text);
}

// Ctrl-Z: gives the terminal back and stops, until the shell lets the program go on.
void EditConsole::Stop() {
  editor_.Suspend();
  kill(getpid(), SIGSTOP);
  editor_.Resume();
}

}  // namespace xdscope::cli
