// Being told when a descriptor has something to read (a pipe, a terminal, the standard input), on the loop.
#pragma once

#include <functional>
#include <memory>

#include "lib/base/loop.h"

namespace xdscope::base {

class Readable {
 public:
  // The descriptor stays its owner's, and open. Both must outlive this.
  Readable(Loop& loop, int descriptor);
  ~Readable();
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  // Runs `task` once, when read() would not block; a file on a disk never does. One wait at a time.
  void Wait(Loop::Task task);
  // The task does not run any more.
  void Cancel();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace xdscope::base
