#include "cli/commands/repl/loop_wait.h"

namespace xdscope::cli {

void RunUntilReadable(base::Loop& loop, base::Readable& readable, const bool& stopped) {
  bool ready = false;
  readable.Wait([&loop, &ready] {
    ready = true;
    loop.Stop();
  });
  while (!ready && !stopped) loop.Run();
  readable.Cancel();
}

absl::Status LoopWait::Wait(const std::function<bool()>& done, base::Duration limit) {
  if (done()) return absl::OkStatus();
  done_ = &done;
  interrupted_ = false;
  const base::Timer timer = loop_.After(limit, [this](base::Time) { loop_.Stop(); });
  loop_.Run();
  done_ = nullptr;
  if (done()) return absl::OkStatus();
  return interrupted_ ? absl::CancelledError("interrupted") : absl::DeadlineExceededError("it takes too long");
}

void LoopWait::Changed() {
  if (done_ == nullptr) return;
  loop_.Post([this] {
    if (done_ != nullptr && (*done_)()) loop_.Stop();
  });
}

bool LoopWait::Interrupt() {
  if (done_ == nullptr) return false;
  interrupted_ = true;
  loop_.Stop();
  return true;
}

}  // namespace xdscope::cli
