#include "cli/commands/repl/loop_wait.h"

namespace xdscope::cli {

bool LoopWait::Wait(const std::function<bool()>& done, base::Duration limit) {
  if (done()) return true;
  done_ = &done;
  const base::Timer timer = loop_.After(limit, [this](base::Time) { loop_.Stop(); });
  loop_.Run();
  done_ = nullptr;
  return done();
}

void LoopWait::Changed() {
  if (done_ == nullptr) return;
  loop_.Post([this] {
    if (done_ != nullptr && (*done_)()) loop_.Stop();
  });
}

void LoopWait::Interrupt() {
  if (done_ != nullptr) loop_.Stop();
}

}  // namespace xdscope::cli
