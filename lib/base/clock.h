// What time it is, and being called when it is later: the only way anything in lib/ waits. Loop is the real one; a test
// uses tests/fake/fake_clock.h and says what time it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace xdscope::base {

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

class Clock;

// A wake-up that is still to come. Destroying it (or assigning another to it) calls it off; after that its task is
// never run. A timer is empty by default and once its task was started. Its clock must outlive it.
class Timer {
 public:
  Timer() = default;
  Timer(Clock& clock, std::uint64_t id) : clock_(&clock), id_(id) {}
  Timer(Timer&& other) noexcept : clock_(std::exchange(other.clock_, nullptr)), id_(other.id_) {}
  Timer& operator=(Timer&& other) noexcept {
    std::swap(clock_, other.clock_);
    std::swap(id_, other.id_);
    other.Cancel();
    return *this;
  }
  ~Timer() { Cancel(); }

  // Calls the wake-up off. Does nothing for an empty timer.
  void Cancel();

 private:
  Clock* clock_ = nullptr;
  std::uint64_t id_ = 0;
};

class Clock {
 public:
  using Task = std::function<void(Time now)>;

  virtual ~Clock() = default;

  virtual Time Now() const = 0;

  // Runs `task` once, at `when` or soon after, with the time it then is, and never inside this call.
  [[nodiscard]] virtual Timer At(Time when, Task task) = 0;
  [[nodiscard]] Timer After(Duration delay, Task task) { return At(Now() + delay, std::move(task)); }

 protected:
  friend class Timer;
  // Forgets the task. Does nothing for an id that is not known, because its task has run.
  virtual void CancelTimer(std::uint64_t id) = 0;
};

inline void Timer::Cancel() {
  if (clock_ != nullptr) std::exchange(clock_, nullptr)->CancelTimer(id_);
}

}  // namespace xdscope::base
