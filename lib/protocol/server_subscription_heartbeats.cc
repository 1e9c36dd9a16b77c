// The half of a subscription that keeps alive what has a time to live.
//
// Resources of one time to live beat together: when half of it has passed since they last did, whether they were said
// in between or not. So what has to be remembered is a moment for each time to live, not for each resource, and no
// resource waits longer than half of its time. What a resumed stream holds beats at once: when it last did is not
// known.
//
// Who gets one. Only what the client has: what was refused it has not (K17), and a heartbeat for it would be refused
// too. So a heartbeat waits for the verdict on what was sent before; that also keeps them from piling up before a
// client that does not answer.
//
// How it looks. In delta it is an entry without payload (B.2-18). In SotW the resources are said once more, at the
// version they have: Envoy 1.40 does not count an entry without payload as a sign of life there, refuses a response
// that has nothing else, and takes one of CDS or LDS for "there are none" (XDS-S057). So it is with virtual hosts on
// demand, for which an entry without payload means that there is none (XDS-S064).
#include <algorithm>
#include <chrono>
#include <vector>

#include "lib/protocol/server_subscription.h"

namespace xdscope::protocol {
namespace {

// A time to live may be a nanosecond. What is shorter than twice this runs out between its heartbeats.
constexpr std::chrono::milliseconds kShortestPeriod{10};
// What is due within this part of its time to live goes with what is due now, so that resources with many times to live
// do not make a message each.
constexpr int kSlack = 16;

std::chrono::nanoseconds PeriodOf(std::chrono::nanoseconds ttl) {
  return std::max<std::chrono::nanoseconds>(ttl / 2, kShortestPeriod);
}

}  // namespace

std::optional<Moment> ServerSubscription::NextHeartbeat() const {
  const bool waits = last_sent_ != 0 && !answered_;
  const bool has_nothing = full_state() && refused_last_;
  return waits || has_nothing ? std::nullopt : next_beat_;
}

std::optional<ServerSubscription::Delivery> ServerSubscription::Heartbeat(Moment now) {
  if (told_ != beats_of_) PlanBeats(now);
  const std::optional<Moment> next = NextHeartbeat();
  if (!next || *next > now) return std::nullopt;
  Delivery delivery;
  delivery.snapshot = told_;
  delivery.resources = LivingOf(TakeDueBeats(now));
  if (delivery.resources.empty()) return std::nullopt;
  if (full_state()) {
    delivery = Whole(told_);
  } else {
    Tidy(&delivery);
  }
  delivery.heartbeat = true;
  delivery.payloads = !is_delta() || type_->on_demand;
  return delivery;
}

void ServerSubscription::PlanBeats(Moment now) {
  std::map<std::chrono::nanoseconds, Moment> beats;
  for (const auto& [ttl, resources] : told_->by_ttl) {
    const auto known = beats_.find(ttl);
    const Moment first = resumed_ ? now : now + PeriodOf(ttl);
    beats.emplace_hint(beats.end(), ttl, known == beats_.end() ? first : known->second);
  }
  resumed_ = false;
  beats_ = std::move(beats);
  beats_of_ = told_;
  NoteNextBeat();
}

void ServerSubscription::NoteNextBeat() {
  const auto earlier = [](const auto& left, const auto& right) { return left.second < right.second; };
  const auto first = std::min_element(beats_.begin(), beats_.end(), earlier);
  next_beat_ = first == beats_.end() ? std::nullopt : std::optional(first->second);
}

// Returns the times to live whose resources beat now, ascending.
std::vector<std::chrono::nanoseconds> ServerSubscription::TakeDueBeats(Moment now) {
  std::vector<std::chrono::nanoseconds> due;
  for (auto& [ttl, moment] : beats_) {
    if (moment - ttl / kSlack > now) continue;
    moment = now + PeriodOf(ttl);
    due.push_back(ttl);
  }
  NoteNextBeat();
  return due;
}

// Returns what the client has of the resources with these times to live. Looks for each name of the client, or at each
// of these resources, whichever are fewer.
std::vector<std::uint32_t> ServerSubscription::LivingOf(const std::vector<std::chrono::nanoseconds>& due) const {
  std::size_t count = 0;
  for (const std::chrono::nanoseconds ttl : due) count += told_->by_ttl.at(ttl).size();
  std::vector<std::uint32_t> living;
  const auto add = [&](std::uint32_t index) {
    if (IsHeld(told_->resources[index].name)) living.push_back(index);
  };
  if (NamesAreFewerThan(count)) {
    for (const auto& [name, list] : names_) {
      const SnapshotEntry* entry = told_->Find(name);
      if (entry != nullptr && std::binary_search(due.begin(), due.end(), entry->ttl)) add(told_->IndexOf(*entry));
    }
    return living;
  }
  for (const std::chrono::nanoseconds ttl : due) {
    for (const std::uint32_t index : told_->by_ttl.at(ttl)) add(index);
  }
  return living;
}

// Returns whether the client was told of a resource of told_, and has accepted it.
bool ServerSubscription::IsHeld(std::string_view name) const {
  if (!Covers(name) || refused_.contains(name) || owed_.contains(name)) return false;
  return everything_ != Everything::kNew || HasName(name);
}

}  // namespace xdscope::protocol
