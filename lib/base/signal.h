// Being told of a signal that comes now and then (the terminal has another size, somebody wants the program to stop for
// a while), on the loop. Signals that end a program are not for this: the loop may be busy.
#pragma once

#include <memory>

#include "lib/base/loop.h"

namespace xdscope::base {

class Signal {
 public:
  // Runs `task` each time the signal has come, several at once perhaps once, in place of what the system does for it.
  // The loop must outlive this.
  Signal(Loop& loop, int number, Loop::Task task);
  // Gives the signal back to the system.
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace xdscope::base
