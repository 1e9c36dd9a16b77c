// The one loop of a program: tasks and timers, one after another, on the thread that calls Run(). Everything
// that is not said to be thread-safe belongs to that thread. Knows nothing of streams, messages or files.
#pragma once

#include <functional>
#include <memory>

#include "lib/base/clock.h"

namespace boost::asio {
class io_context;
}

namespace xdscope::base {

class Loop final : public Clock {
 public:
  using Task = std::function<void()>;

  Loop();
  // Drops what was posted and not run. Timers and everything else made on the loop must be gone before.
  ~Loop() override;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs `task` on the loop's thread, after what was posted before. This is the only call that any thread may make.
  void Post(Task task);

  // Runs tasks until Stop() and waits when there is none. May be called again after it has returned, but not in a task.
  void Run();
  // Lets Run() return after the task that runs now; a Stop() outside of Run() lets the next one return at once.
  void Stop();

  Time Now() const override;
  [[nodiscard]] Timer At(Time when, Clock::Task task) override;

  // Returns what Boost's own I/O is made on. For .cc files of lib/ only.
  boost::asio::io_context& context();

 protected:
  void CancelTimer(std::uint64_t id) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xdscope::base
