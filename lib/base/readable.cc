#include "lib/base/readable.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

namespace xdscope::base {

// Waits that end after the Readable is gone find it here.
struct Readable::State {
  explicit State(Loop& owner) : loop(owner), input(owner.context()) {}

  void Run() {
    if (const Loop::Task run = std::exchange(task, {})) run();
  }

  Loop& loop;
  boost::asio::posix::stream_descriptor input;
  bool always_ready = false;  // what cannot be waited for: a file on a disk
  Loop::Task task;
};

Readable::Readable(Loop& loop, int descriptor) : state_(std::make_shared<State>(loop)) {
  boost::system::error_code error;
  state_->input.assign(descriptor, error);
  state_->always_ready = static_cast<bool>(error);
}

Readable::~Readable() {
  Cancel();
  if (!state_->always_ready) state_->input.release();
}

void Readable::Wait(Loop::Task task) {
  state_->task = std::move(task);
  if (state_->always_ready) return state_->loop.Post([state = state_] { state->Run(); });
  state_->input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [state = state_](const boost::system::error_code& error) {
                             if (!error) state->Run();
                           });
}

void Readable::Cancel() {
  state_->task = {};
  boost::system::error_code ignored;
  if (!state_->always_ready) state_->input.cancel(ignored);
}

}  // namespace xdscope::base
