// How long to wait before a lost stream is opened again: longer each time, with jitter, from the beginning after a
// response has come (B.0-13). However soon a server ends what it has answered, there are never more than ten attempts
// in ten seconds. A value; who waits is somebody else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "lib/base/clock.h"

namespace xdscope::session {

class BackOff {
 public:
  struct Settings {
    base::Duration first = std::chrono::milliseconds(500);
    base::Duration most = std::chrono::seconds(30);
    double factor = 2;
    // The part of each wait that is left to chance: 1 is anything from nothing to the whole wait (Envoy), 0.2 is up to
    // a fifth less or more (gRPC).
    double jitter = 1;
  };

  explicit BackOff(Settings settings) : settings_(settings), next_(settings.first) {}

  // The next wait, which begins now. `chance` is a random number from 0 to below 1.
  base::Duration Next(double chance, base::Time now) {
    const double least = 1 - settings_.jitter;
    const double most = settings_.jitter == 1 ? 1 : 1 + settings_.jitter;
    const base::Duration wait = NotTooOften(Scaled(next_, least + chance * (most - least)), now);
    next_ = std::min(settings_.most, Scaled(next_, settings_.factor));
    return wait;
  }
  // A response has come: the next wait is the first again.
  void Reset() { next_ = settings_.first; }

 private:
  // With the attempt before them these are ten.
  static constexpr std::size_t kMostAttempts = 9;
  static constexpr std::chrono::seconds kWithin{10};

  base::Duration NotTooOften(base::Duration wait, base::Time now) {
    if (attempts_.size() == kMostAttempts) {
      wait = std::max(wait, attempts_.front() + kWithin - now);
      attempts_.pop_front();
    }
    attempts_.push_back(now + wait);
    return wait;
  }
  static base::Duration Scaled(base::Duration duration, double by) {
    return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(duration) * by);
  }

  Settings settings_;
  base::Duration next_;
  std::deque<base::Time> attempts_;  // the last ones
};

}  // namespace xdscope::session
