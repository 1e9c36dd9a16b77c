#include "lib/session/expiry.h"

#include <utility>

namespace xdscope::session {

// Times to live change with every heartbeat, mostly to a later moment; the timer is set anew only when the next one to
// come has moved.
void Expiry::Update() {
  while (std::optional<protocol::Changes> changes = ads_.NextChanges()) listener_(Changed{*std::move(changes)});
  const std::optional<protocol::Moment> next = ads_.NextExpiry();
  if (next == set_for_) return;
  set_for_ = next;
  timer_.Cancel();
  if (!next) return;
  timer_ = clock_.At(base::Time(std::chrono::duration_cast<base::Duration>(*next)), [this](base::Time now) {
    set_for_.reset();
    ads_.OnTime(MomentOf(now));
    Update();
  });
}

}  // namespace xdscope::session
