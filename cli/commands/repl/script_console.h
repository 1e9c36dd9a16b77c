// The console of a conversation that is no dialogue: lines come from a pipe, or from a terminal that cannot redraw a
// line. Everything that is said goes to stdout in the order in which it happens, without colour or time, so that it can
// be compared. Where nobody reads that any more, there is no next line.
#pragma once

#include <functional>
#include <string>

#include "cli/commands/repl/console.h"
#include "cli/commands/repl/loop_wait.h"
#include "lib/base/loop.h"
#include "lib/base/readable.h"

namespace xdscope::cli {

class ScriptConsole final : public Console {
 public:
  // Reads lines from a descriptor, and prompts for them where a person types. Calls `nobody_reads` where that is so of
  // what it prints. All must outlive it.
  ScriptConsole(base::Loop& loop, const OutputStream& out, int input, bool prompts,
                const std::function<void()>& nobody_reads);

  bool NextLine(Repl& repl, std::string* line) override;
  const OutputStream& out() override { return out_; }
  void Announce(std::string_view lines) override;
  void Remark(std::string_view line) override { Announce(line); }
  void Changed() override { wait_.Changed(); }
  absl::Status Wait(const std::function<bool()>& done, base::Duration limit) override;
  void Interrupt() override;
  void End() override;
  const TypedLines& History() const override { return typed_; }

 private:
  void Read();
  std::size_t FindEnd();

  base::Loop& loop_;
  OutputStream out_;
  LoopWait wait_;
  int input_;
  base::Readable readable_;
  bool prompts_;
  bool prompted_ = false;  // the prompt is the last that was printed
  bool over_ = false;      // nothing more comes from the input
  bool ended_ = false;     // by End()
  std::string unread_;
  std::size_t searched_ = 0;  // so much of it has no end of a line
  std::string prompt_;
  TypedLines typed_;
};

}  // namespace xdscope::cli
