// Waiting on the loop for what somebody else's events bring about.
#pragma once

#include <functional>

#include "lib/base/clock.h"
#include "lib/base/loop.h"
#include "lib/base/readable.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// Runs the loop until there is something to read, or until `stopped` is true when somebody stops the loop.
void RunUntilReadable(base::Loop& loop, base::Readable& readable, const bool& stopped);

class LoopWait {
 public:
  // The loop must outlive it.
  explicit LoopWait(base::Loop& loop) : loop_(loop) {}

  // Runs the loop until `done` says so. DEADLINE_EXCEEDED: `limit` was over. CANCELLED: Interrupt() was called.
  absl::Status Wait(const std::function<bool()>& done, base::Duration limit);
  // Looks again whether it is done, once the event is over that changed something.
  void Changed();
  // Returns whether there was a wait to end.
  bool Interrupt();

 private:
  base::Loop& loop_;
  const std::function<bool()>* done_ = nullptr;  // of the Wait() that runs
  bool interrupted_ = false;                     // that Wait()
};

}  // namespace xdscope::cli
