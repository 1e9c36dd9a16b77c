// Waiting on the loop for what somebody else's events bring about.
#pragma once

#include <functional>

#include "lib/base/clock.h"
#include "lib/base/loop.h"

namespace xdscope::cli {

class LoopWait {
 public:
  // The loop must outlive it.
  explicit LoopWait(base::Loop& loop) : loop_(loop) {}

  // Runs the loop until `done` says so, and returns true; false: `limit` was over, or Interrupt() was called.
  bool Wait(const std::function<bool()>& done, base::Duration limit);
  // Looks again whether it is done, once the event is over that changed something.
  void Changed();
  void Interrupt();

 private:
  base::Loop& loop_;
  const std::function<bool()>* done_ = nullptr;  // of the Wait() that runs
};

}  // namespace xdscope::cli
