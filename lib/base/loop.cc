#include "lib/base/loop.h"

#include <map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace xdscope::base {

namespace asio = boost::asio;

struct Loop::State {
  struct Pending {
    asio::steady_timer timer;
    Clock::Task task;
  };

  asio::io_context context{1};  // one thread runs it
  // Without it run_one() would return at once while nothing is posted, in place of waiting for another thread's Post().
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  // By id. Erasing one destroys its steady_timer and so calls it off; Asio then runs the handler all the same, with an
  // error, which is why handlers look for their id and hold no pointer.
  std::map<std::uint64_t, Pending> timers;
  std::uint64_t last_timer = 0;
  bool stop = false;
};

Loop::Loop() : state_(std::make_unique<State>()) {}
Loop::~Loop() = default;

void Loop::Post(Task task) {
  asio::post(state_->context, std::move(task));
}

// One task at a time: io_context::stop() would need a restart, and a Stop() from before Run() has to count.
void Loop::Run() {
  while (!state_->stop) state_->context.run_one();
  state_->stop = false;
}

void Loop::Stop() {
  state_->stop = true;
}

Time Loop::Now() const {
  return std::chrono::steady_clock::now();
}

Timer Loop::At(Time when, Clock::Task task) {
  const std::uint64_t id = ++state_->last_timer;
  State::Pending pending{asio::steady_timer(state_->context, when), std::move(task)};
  auto& timer = state_->timers.emplace(id, std::move(pending)).first->second.timer;
  timer.async_wait([this, id](const boost::system::error_code& error) {
    if (error) return;
    // A timer that was called off after it had expired has no error, but is no longer here. The task is taken out
    // before it runs, because it may start and call off timers.
    auto due = state_->timers.extract(id);
    if (due) due.mapped().task(Now());
  });
  return Timer(*this, id);
}

void Loop::CancelTimer(std::uint64_t id) {
  state_->timers.erase(id);
}

asio::io_context& Loop::context() {
  return state_->context;
}

}  // namespace xdscope::base
