#include "lib/protocol/asking.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

using NameSet = Interest::NameSet;

// Moves the names of `part` out of `set`; returns those that it had.
NameSet MoveOut(const NameSet& part, NameSet* set) {
  NameSet moved;
  for (const std::string& name : part) {
    if (set->erase(name) > 0) moved.insert(name);
  }
  return moved;
}

}  // namespace

// ---- What is wanted.

// In delta, what comes back before its leaving was said has to be said all the same: the server owes it anew (B.2-8,
// D5). A SotW list says it anyway.
Asking::Effect Asking::Change(const InterestChange& change) {
  Effect effect;
  const auto take_back = [this](std::string_view name, bool told) {
    to_subscribe_.erase(base::ToAbsl(name));
    if (told) to_unsubscribe_.emplace(name);
  };
  const auto want = [this](std::string_view name, bool told) {
    to_unsubscribe_.erase(base::ToAbsl(name));
    if (!told || delta_) to_subscribe_.emplace(name);
  };
  for (const std::string& name : change.remove.names()) {
    if (!interest_.Remove(name)) continue;
    take_back(name, told_.contains(name));
    effect.dropped.push_back(name);
  }
  for (const std::string& name : change.add.names()) {
    if (!interest_.Add(name)) continue;
    want(name, told_.contains(name));
    effect.changed = true;
  }
  effect.changed |= !effect.dropped.empty();
  if (change.remove.everything() && interest_.everything()) {
    interest_.SetEverything(false, false);
    take_back(kStar, told_everything_);
    effect.changed = true;
  }
  if (change.add.everything()) {
    if (!interest_.everything()) want(kStar, told_everything_);
    effect.changed |= !interest_.everything() || interest_.starred() != change.add.starred();
    interest_.SetEverything(true, change.add.starred());
  }
  return effect;
}

absl::Status Asking::AskAgain(std::string_view name) {
  std::string room;
  const std::string_view key = NormalName(name, &room);
  const bool wanted = key == kStar ? interest_.everything() : interest_.Has(key);
  if (!wanted) return base::Error(absl::StatusCode::kNotFound, fmt::format("'{}' is not asked for", name));
  if (requests_ > 0) to_subscribe_.emplace(key);  // the first request says it anyway
  return absl::OkStatus();
}

// ---- What was told.

WasAsked Asking::AskedFor(std::string_view name) const {
  if (told_everything_ || told_.contains(base::ToAbsl(name))) return WasAsked::kNow;
  if (IsXdstp(name) && told_.contains(GlobOver(name))) return WasAsked::kNow;
  const bool earlier = ever_everything_ || earlier_is_full_ || earlier_.contains(base::ToAbsl(name));
  return earlier ? WasAsked::kEarlier : WasAsked::kNever;
}

bool Asking::HasRead(std::string_view name) const {
  const auto told = told_.find(base::ToAbsl(name));
  return told != told_.end() && told->second.since <= read_;
}

bool Asking::ServerKnows(std::string_view name) const {
  return (told_everything_ && everything_since_ <= read_) || HasRead(name);
}

// The server knows what waited to be said, after the request that is being made.
Asking::TakenBack Asking::Tell() {
  TakenBack taken;
  for (const std::string& name : to_unsubscribe_) {
    if (name == kStar) {
      taken.everything = true;
      told_everything_ = false;
    } else {
      NoteTakenBack(name);
      taken.names.push_back(name);
    }
  }
  for (const std::string& name : to_subscribe_) {
    if (name == kStar) {
      if (!std::exchange(told_everything_, true)) everything_since_ = requests_;
      ever_everything_ = true;
    } else if (const auto [told, is_new] = told_.try_emplace(name); is_new) {
      told->second = {.since = requests_, .again = earlier_is_full_ || earlier_.erase(name) > 0};
      newest_ = requests_;
    }
  }
  told_starred_ = told_everything_ && interest_.starred();
  to_subscribe_.clear();
  to_unsubscribe_.clear();
  return taken;
}

void Asking::NoteTakenBack(const std::string& name) {
  told_.erase(name);
  if (earlier_.size() < kMostEarlier) {
    earlier_.insert(name);
  } else {
    earlier_is_full_ = true;
  }
}

// What delivers a name that only one request has said proves that this request was read.
void Asking::OnResponse(const Pending& pending, bool full_state) {
  read_ = std::max<std::uint64_t>(read_, 1);  // it has read the first request, or it could not speak of the type
  if (!full_state || ever_everything_ || read_ >= newest_) return;
  for (const Pending::Entry& entry : pending.entries) {
    const auto told = told_.find(base::ToAbsl(entry.name));
    if (told != told_.end() && !told->second.again) read_ = std::max(read_, told->second.since);
  }
}

// Nonces, names told and what the server has read belong to the stream; the interest does not (B.0-6, B.1-11).
void Asking::OnStreamClosed() {
  Asking fresh(delta_ ? Variant::kDelta : Variant::kSotw, wildcard_);
  fresh.interest_ = std::move(interest_);
  fresh.to_subscribe_ = fresh.interest_.names();
  if (fresh.interest_.everything()) fresh.to_subscribe_.emplace(kStar);
  *this = std::move(fresh);
}

// ---- Requests.

// A type that nothing is wanted of stays silent until it has been mentioned: an empty first list would mean everything
// (K31).
bool Asking::HasNews() const {
  if (requests_ == 0) return !interest_.is_nothing();
  const bool other_word = !delta_ && told_everything_ && interest_.starred() != told_starred_;
  return !to_subscribe_.empty() || !to_unsubscribe_.empty() || other_word;
}

Asking::TakenBack Asking::Say(Request* request) {
  const bool first = requests_++ == 0;
  if (!delta_) return SaySotw(request);
  return first ? SayFirstDelta(request) : SayDelta(request);
}

// Whether "everything" is to be said by the word "*" where nothing else decides: it was asked for in that way, or the
// client's habit is that, or names stand beside it.
bool Asking::SaysStar() const {
  return wildcard_ == Wildcard::kExplicit || interest_.starred() || !interest_.names().empty();
}

// The whole list. An empty one means everything until something was named on the stream, and nothing from then on; so
// whoever has everything by an empty list must say "*" before an empty list can mean nothing (B.1-7).
std::vector<std::string> Asking::SotwList() const {
  const bool leaves_legacy = interest_.is_nothing() && told_everything_ && !named_;
  std::vector<std::string> list;
  if (leaves_legacy || (interest_.everything() && (SaysStar() || named_))) list.emplace_back(kStar);
  list.insert(list.end(), interest_.names().begin(), interest_.names().end());
  return list;
}

Asking::TakenBack Asking::SaySotw(Request* request) {
  request->names = SotwList();
  const bool half_way = interest_.is_nothing() && !request->names.empty();
  named_ |= !request->names.empty();
  return half_way ? TakenBack() : Tell();  // half way the empty list stays to be said
}

// Everything that is wanted (B.2-2).
Asking::TakenBack Asking::SayFirstDelta(Request* request) {
  if (interest_.everything() && SaysStar()) request->names.emplace_back(kStar);
  request->names.insert(request->names.end(), interest_.names().begin(), interest_.names().end());
  return Tell();
}

// What differs from what was told, and what has to be said once more. Names that are subscribed and unsubscribed go in
// one request: their lists are apart, so their order means nothing. An answer to a response for which there is nothing
// to say carries two empty lists, which mean "no change" from the second request on (B.2-4).
Asking::TakenBack Asking::SayDelta(Request* request) {
  request->names.assign(to_subscribe_.begin(), to_subscribe_.end());
  request->unsubscribe.assign(to_unsubscribe_.begin(), to_unsubscribe_.end());
  return Tell();
}

// A SotW list is the whole of what is wanted. A delta adds and takes away; what it does not speak of still waits to be
// said.
Asking::TakenBack Asking::OnForeignRequest(const Request& request) {
  const bool first = requests_++ == 0;
  const bool legacy = request.names.empty() && request.unsubscribe.empty() && (delta_ ? first : !named_);
  named_ |= !request.names.empty();
  if (legacy || !delta_) {
    Change(ChangeBetween(interest_, legacy ? Interest::Everything() : Interest::Names(request.names)));
    return Tell();
  }
  const InterestChange change = {Interest::Names(request.names), Interest::Names(request.unsubscribe)};
  Change(change);
  const auto said = [](const Interest& interest) {
    NameSet names = interest.names();
    if (interest.everything()) names.emplace(kStar);
    return names;
  };
  NameSet subscribed = MoveOut(said(change.add), &to_subscribe_);
  NameSet unsubscribed = MoveOut(said(change.remove), &to_unsubscribe_);
  std::swap(subscribed, to_subscribe_);
  std::swap(unsubscribed, to_unsubscribe_);
  TakenBack taken = Tell();
  to_subscribe_ = std::move(subscribed);
  to_unsubscribe_ = std::move(unsubscribed);
  return taken;
}

}  // namespace xdscope::protocol
