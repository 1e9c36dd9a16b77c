// What a conversation by hand is held through: a terminal, a script, a test. Takes lines and shows them; knows nothing
// of verbs or streams.
#pragma once

#include <functional>
#include <string_view>

#include "cli/console/streams.h"
#include "lib/base/clock.h"

namespace xdscope::cli {

class Console {
 public:
  virtual ~Console() = default;

  // Where a verb prints what was asked for.
  virtual const OutputStream& out() = 0;
  // Says something that happened by itself, as one line.
  virtual void Announce(std::string_view line) = 0;
  // Something may have changed that a Wait() waits for.
  virtual void Changed() = 0;
  // Lets the streams go on until `done` says so, and returns true; false: `limit` was over, or a person interrupted.
  virtual bool Wait(const std::function<bool()>& done, base::Duration limit) = 0;
};

}  // namespace xdscope::cli
