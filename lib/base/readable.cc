#include "lib/base/readable.h"

#include <sys/epoll.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

#include "lib/base/descriptor.h"

namespace xdscope::base {
namespace {

// Returns a descriptor of our own that is readable when `watched` is; a closed one where `watched` cannot be waited for
// (a file on a disk). Asio makes what it waits for non-blocking, which the shell's terminal must not become.
Descriptor WatchOver(int watched) {
  Descriptor watch(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(watch.number(), EPOLL_CTL_ADD, watched, &event) != 0) return Descriptor();
  return watch;
}

}  // namespace

// Waits that end after the Readable is gone find it here.
struct Readable::State {
  State(Loop& owner, int watched) : loop(owner), watch(WatchOver(watched)), input(owner.context()) {
    boost::system::error_code error;
    if (watch.is_open()) input.assign(watch.number(), error);
    if (error) watch = Descriptor();  // it is taken for a file, which can be read at any time
  }
  ~State() {
    if (watch.is_open()) input.release();
  }

  void Run() {
    if (const Loop::Task run = std::exchange(task, {})) run();
  }

  Loop& loop;
  Descriptor watch;
  boost::asio::posix::stream_descriptor input;
  Loop::Task task;
};

Readable::Readable(Loop& loop, int descriptor) : state_(std::make_shared<State>(loop, descriptor)) {}

Readable::~Readable() {
  Cancel();
}

void Readable::Wait(Loop::Task task) {
  state_->task = std::move(task);
  if (!state_->watch.is_open()) return state_->loop.Post([state = state_] { state->Run(); });
  state_->input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [state = state_](const boost::system::error_code& error) {
                             if (!error) state->Run();
                           });
}

void Readable::Cancel() {
  state_->task = {};
  boost::system::error_code ignored;
  if (state_->watch.is_open()) state_->input.cancel(ignored);
}

}  // namespace xdscope::base
