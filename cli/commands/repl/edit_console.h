// The console of a person at a terminal: a line editor, and above it what happens meanwhile. What verbs print goes
// through a pager where it is longer than the screen.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/repl/console.h"
#include "cli/commands/repl/line_editor.h"
#include "cli/commands/repl/loop_wait.h"
#include "lib/base/loop.h"
#include "lib/base/readable.h"
#include "lib/base/signal.h"

namespace xdscope::cli {

class EditConsole final : public Console {
 public:
  struct Settings {
    std::string pager;                                  // a command line for the shell; empty: none
    bool color = false;                                 // before the first line; then as the conversation says
    TypedLines history = {};                            // of earlier conversations
    std::function<void(const std::string& line)> keep;  // keeps a line for the next conversation
    std::function<bool()> interrupted;                  // whether a person wants an end of what is being printed
  };
  // At most so many announcements are shown in a moment; of more, the first and how many others there are.
  static constexpr std::size_t kMostAnnounced = 20;
  static constexpr std::chrono::milliseconds kMoment{50};

  // Loop and stream must outlive it.
  EditConsole(base::Loop& loop, const OutputStream& terminal, Settings settings);

  bool NextLine(Repl& repl, std::string* line) override;
  const OutputStream& out() override { return out_; }
  void Announce(std::string_view lines) override { Queue(std::string(lines)); }
  void Remark(std::string_view line) override;
  void Changed() override { wait_.Changed(); }
  absl::Status Wait(const std::function<bool()>& done, base::Duration limit) override;
  void Interrupt() override;
  void End() override;
  const TypedLines& History() const override { return history_; }

  void SetKeys(LineEditor::Keys keys) { editor_.SetKeys(keys); }

 private:
  void AwaitKey();
  void Queue(std::string lines);
  void SayQueued();
  void ShowPrinted();
  void Stop();

  base::Loop& loop_;
  const OutputStream& terminal_;
  Settings settings_;
  LoopWait wait_;
  base::Readable keyboard_;
  LineEditor editor_;
  base::Signal resized_;
  base::Signal stopped_;
  Repl* repl_ = nullptr;  // whose line is being read
  OutputStream out_;
  std::string printed_;  // by verbs, and not yet shown
  std::vector<std::string> queued_;
  std::size_t left_out_ = 0;
  base::Timer say_;
  base::Time said_at_{};
  TypedLines history_;
  bool paging_ = false;
  bool pager_interrupted_ = false;  // Ctrl-C came while it ran
  bool woken_ = false;
  bool ended_ = false;
};

}  // namespace xdscope::cli
