// The console of a run that is no dialogue: lines come from a script or a pipe, everything that is said goes to stdout
// in the order in which it happens, without colour, prompt or time, so that it can be compared.
#pragma once

#include <functional>
#include <string>

#include "cli/commands/repl/console.h"
#include "lib/base/loop.h"
#include "lib/base/readable.h"

namespace xdscope::cli {

class LoopConsole final : public Console {
 public:
  // `loop` and `out` must outlive it.
  LoopConsole(base::Loop& loop, const OutputStream& out) : loop_(loop), out_(out) {}

  const OutputStream& out() override { return out_; }
  void Announce(std::string_view line) override;
  void Changed() override;
  bool Wait(const std::function<bool()>& done, base::Duration limit) override;

  // Reads the next line of a descriptor, without its end, while the streams go on. Returns false at the end.
  bool NextLine(int descriptor, std::string* line);
  // A person wants to leave: waits end, and there is no next line.
  void Interrupt();

 private:
  base::Loop& loop_;
  const OutputStream& out_;
  const std::function<bool()>* waits_for_ = nullptr;
  bool interrupted_ = false;
  std::string input_;
  bool ended_ = false;
};

}  // namespace xdscope::cli
