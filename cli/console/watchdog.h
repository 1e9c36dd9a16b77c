// What ends a run whatever its own thread is busy with: SIGINT, SIGTERM and a limit of time, watched by a thread that
// does nothing else. The first signal asks the run to end; a second one, or the limit, ends it. Knows neither what the
// run does nor how a process is ended.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "lib/base/clock.h"
#include "lib/base/descriptor.h"

namespace xdscope::cli {

class Watchdog {
 public:
  enum class Reason : std::uint8_t { kInterrupted, kOutOfTime };
  // Ends the process. Runs on the watchdog's thread while the other threads go on, so it takes no lock of theirs. It
  // may return where there is no process to end; then it is not called again for the same reason.
  using End = std::function<void(Reason reason)>;

  // Takes SIGINT and SIGTERM from all threads that are started from now on, and from this one: no other thread may
  // run yet.
  explicit Watchdog(End end);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  // Gives the signals back to the system.
  ~Watchdog();

  // What the first signal does in place of ending the process: SIGINT or SIGTERM.
  using SignalTask = std::function<void(int number)>;
  // Makes the first signal from now on run `task`, on the watchdog's thread. Without a task the first one ends the
  // process, as does each that follows a first one.
  void OnFirstSignal(SignalTask task);
  // Ends the process at this time.
  void EndAt(base::Time when);

 private:
  void Watch();
  int MillisecondsLeft();
  void OnSignal(int number);
  void OnTimeOver();
  void Wake();

  const End end_;
  sigset_t signals_;
  sigset_t mask_before_;
  base::Descriptor arrived_;  // readable when a signal has come
  base::Descriptor woken_;    // readable when what is below has changed
  std::mutex mutex_;          // of what is below
  SignalTask task_;
  std::optional<base::Time> limit_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xdscope::cli
