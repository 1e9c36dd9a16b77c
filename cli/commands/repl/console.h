// What a conversation by hand is held through: a terminal, a script, a test. Takes lines and shows them; knows nothing
// of verbs or streams.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/commands/repl/history.h"
#include "cli/console/streams.h"
#include "lib/base/clock.h"
#include "lib/base/status.h"

namespace xdscope::cli {

class Repl;

class Console {
 public:
  virtual ~Console() = default;

  // Returns the next line, without its end, under the conversation's prompt, while the streams go on. False: there is
  // none any more.
  virtual bool NextLine(Repl& repl, std::string* line) = 0;
  // Where a verb prints what was asked for.
  virtual const OutputStream& out() = 0;
  // Says something that happened by itself, in one line, or in several that belong together.
  virtual void Announce(std::string_view lines) = 0;
  // Says what a rule would say to what was typed, as one line.
  virtual void Remark(std::string_view line) = 0;
  // Something may have changed that a Wait() waits for.
  virtual void Changed() = 0;
  // Lets the streams go on until `done` says so. DEADLINE_EXCEEDED: `limit` was over. CANCELLED: a person interrupted.
  virtual absl::Status Wait(const std::function<bool()>& done, base::Duration limit) = 0;
  // A person has typed Ctrl-C: drops the line that is being typed, or ends a wait.
  virtual void Interrupt() = 0;
  // Ends a wait, here and from now on; there is no next line.
  virtual void End() = 0;
  // The lines that were typed, of earlier conversations too where they are kept.
  virtual const TypedLines& History() const = 0;
};

}  // namespace xdscope::cli
