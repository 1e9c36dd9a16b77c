// The one timer of a session: wakes up when the protocol says that something expires, and tells what did. For the .cc
// files of this folder.
#pragma once

#include "lib/base/clock.h"
#include "lib/protocol/ads_session.h"
#include "lib/session/event.h"

namespace xdscope::session {

// The moment as the protocol counts it.
inline protocol::Moment MomentOf(base::Time time) {
  return std::chrono::duration_cast<protocol::Moment>(time.time_since_epoch());
}

class Expiry {
 public:
  // All three must outlive it.
  Expiry(base::Clock& clock, protocol::AdsSession& ads, const Listener& listener)
      : clock_(clock), ads_(ads), listener_(listener) {}

  // Tells what has changed without a verdict and sets the timer anew; to be called after each change of the protocol.
  void Update();
  void Stop() { timer_.Cancel(); }

 private:
  base::Clock& clock_;
  protocol::AdsSession& ads_;
  const Listener& listener_;
  std::optional<protocol::Moment> set_for_;
  base::Timer timer_;
};

}  // namespace xdscope::session
