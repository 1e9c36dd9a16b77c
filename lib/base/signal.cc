#include "lib/base/signal.h"

#include <boost/asio/signal_set.hpp>
#include <utility>

namespace xdscope::base {

// Waits that end after the Signal is gone find it here.
struct Signal::State : std::enable_shared_from_this<State> {
  State(Loop& loop, int number, Loop::Task run) : signals(loop.context()), task(std::move(run)) {
    boost::system::error_code ignored;  // the signal then does what it does by itself
    signals.add(number, ignored);
  }

  void Wait() {
    signals.async_wait([state = shared_from_this()](const boost::system::error_code& error, int) {
      if (error || !state->task) return;
      state->Wait();
      state->task();
    });
  }

  boost::asio::signal_set signals;
  Loop::Task task;
};

Signal::Signal(Loop& loop, int number, Loop::Task task)
    : state_(std::make_shared<State>(loop, number, std::move(task))) {
  state_->Wait();
}

Signal::~Signal() {
  state_->task = {};
  boost::system::error_code ignored;
  state_->signals.clear(ignored);
  state_->signals.cancel(ignored);
}

}  // namespace xdscope::base
