#include "cli/console/watchdog.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace xdscope::cli {
namespace {

// Takes what makes the descriptor of a signal or of a call readable.
template <typename T>
bool Take(const base::Descriptor& from, T* taken) {
  return read(from.number(), taken, sizeof *taken) == sizeof *taken;
}

}  // namespace

Watchdog::Watchdog(End end) : end_(std::move(end)), woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  arrived_ = base::Descriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  thread_ = std::thread([this] { Watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  Wake();
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Watchdog::OnFirstSignal(SignalTask task) {
  const std::lock_guard lock(mutex_);
  task_ = std::move(task);
}

void Watchdog::EndAt(base::Time when) {
  {
    const std::lock_guard lock(mutex_);
    limit_ = when;
  }
  Wake();
}

void Watchdog::Wake() {
  eventfd_write(woken_.number(), 1);
}

void Watchdog::Watch() {
  for (;;) {
    pollfd watched[] = {{arrived_.number(), POLLIN, 0}, {woken_.number(), POLLIN, 0}};
    poll(watched, std::size(watched), MillisecondsLeft());
    signalfd_siginfo signal;
    while (Take(arrived_, &signal)) OnSignal(static_cast<int>(signal.ssi_signo));
    eventfd_t calls = 0;
    while (Take(woken_, &calls)) continue;
    OnTimeOver();
    const std::lock_guard lock(mutex_);
    if (stop_) return;
  }
}

// Returns how long poll() may wait; -1 for ever.
int Watchdog::MillisecondsLeft() {
  const std::lock_guard lock(mutex_);
  if (!limit_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit_ - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

void Watchdog::OnSignal(int number) {
  SignalTask task;
  {
    const std::lock_guard lock(mutex_);
    task = std::exchange(task_, nullptr);
  }
  task ? task(number) : end_(Reason::kInterrupted);
}

void Watchdog::OnTimeOver() {
  {
    const std::lock_guard lock(mutex_);
    if (!limit_ || std::chrono::steady_clock::now() < *limit_) return;
    limit_.reset();
  }
  end_(Reason::kOutOfTime);
}

}  // namespace xdscope::cli
