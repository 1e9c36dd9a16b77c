// A clock that stands still until a test moves it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "lib/base/clock.h"

namespace xdscope::fake {

class FakeClock final : public base::Clock {
 public:
  base::Time Now() const override { return now_; }

  [[nodiscard]] base::Timer At(base::Time when, Task task) override {
    const std::uint64_t id = ++last_;
    pending_.emplace(std::pair{when, id}, std::move(task));
    return base::Timer(*this, id);
  }

  // Moves on by `step`; each task that becomes due on the way runs at its own time, in order.
  void Advance(base::Duration step) {
    const base::Time end = now_ + step;
    while (!pending_.empty() && pending_.begin()->first.first <= end) {
      const auto due = pending_.extract(pending_.begin());
      if (due.key().first > now_) now_ = due.key().first;
      due.mapped()(now_);
    }
    now_ = end;
  }

  // How many wake-ups are still to come.
  std::size_t waiting() const { return pending_.size(); }

 protected:
  void CancelTimer(std::uint64_t id) override {
    std::erase_if(pending_, [id](const auto& entry) { return entry.first.second == id; });
  }

 private:
  base::Time now_{std::chrono::hours(1)};
  std::uint64_t last_ = 0;
  std::map<std::pair<base::Time, std::uint64_t>, Task> pending_;
};

}  // namespace xdscope::fake
