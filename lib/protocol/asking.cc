#include "lib/protocol/asking.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

using Names = std::vector<std::string>;

// The names of `left` that `right` does not have; both sorted.
Names Difference(const Names& left, const Names& right) {
  Names result;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(result));
  return result;
}

}  // namespace

// ---- What is wanted.

Names Asking::SetInterest(const Interest& interest) {
  if (interest == interest_) return {};
  Names dropped = Difference(interest_.names(), interest.names());
  for (const std::string& name : dropped) again_.erase(name);
  if (delta_) {
    // What comes back before its leaving was said has to be said all the same: the server owes it anew (B.2-8, D5).
    for (const std::string& name : Difference(interest.names(), interest_.names())) {
      if (since_.contains(name)) again_.insert(name);
    }
    if (interest.everything() && !interest_.everything() && told_.everything()) again_.emplace(kStar);
    if (!interest.everything()) again_.erase(std::string(kStar));
  }
  interest_ = interest;
  changed_ = true;
  return dropped;
}

absl::Status Asking::AskAgain(std::string_view name) {
  std::string room;
  const std::string_view key = NormalName(name, &room);
  const bool wanted = key == kStar ? interest_.everything() : interest_.Has(key);
  if (!wanted) return base::Error(absl::StatusCode::kNotFound, fmt::format("'{}' is not asked for", name));
  if (requests_ > 0) again_.emplace(key);  // the first request says it anyway
  return absl::OkStatus();
}

// ---- What was told.

Asked Asking::AskedFor(std::string_view name) const {
  if (told_.everything() || since_.contains(base::ToAbsl(name))) return Asked::kNow;
  if (IsXdstp(name) && since_.contains(GlobOver(name))) return Asked::kNow;
  const bool earlier = ever_everything_ || earlier_is_full_ || earlier_.contains(base::ToAbsl(name));
  return earlier ? Asked::kEarlier : Asked::kNever;
}

bool Asking::HasRead(std::string_view name) const {
  const auto told = since_.find(base::ToAbsl(name));
  return told != since_.end() && told->second.since <= read_;
}

bool Asking::ServerKnows(std::string_view name) const {
  return (told_.everything() && everything_since_ <= read_) || HasRead(name);
}

// The server knows the whole interest after the request that is being made.
Asking::TakenBack Asking::Tell() {
  TakenBack taken{.everything = told_.everything() && !interest_.everything(),
                  .names = Difference(told_.names(), interest_.names())};
  for (const std::string& name : taken.names) NoteTakenBack(name);
  for (const std::string& name : Difference(interest_.names(), told_.names())) {
    since_[name] = {.since = requests_, .again = earlier_is_full_ || earlier_.erase(name) > 0};
    newest_ = requests_;
  }
  if (!told_.everything()) everything_since_ = requests_;
  ever_everything_ |= interest_.everything();
  named_ |= !interest_.names().empty();
  told_ = interest_;
  told_once_ = true;
  changed_ = false;
  return taken;
}

void Asking::NoteTakenBack(const std::string& name) {
  since_.erase(name);
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
    const auto told = since_.find(base::ToAbsl(entry.name));
    if (told != since_.end() && !told->second.again) read_ = std::max(read_, told->second.since);
  }
}

// Nonces, names told and what the server has read belong to the stream; the interest does not (B.0-6, B.1-11).
void Asking::OnStreamClosed() {
  Asking fresh(delta_ ? Variant::kDelta : Variant::kSotw, wildcard_);
  fresh.interest_ = std::move(interest_);
  *this = std::move(fresh);
}

// ---- Requests.

// A type that nothing is wanted of stays silent until it has been mentioned: an empty first list would mean everything
// (K31).
bool Asking::HasNews() {
  if (requests_ == 0) return !interest_.is_nothing();
  if (changed_ && told_ == interest_) changed_ = false;
  return changed_ || !again_.empty();
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
Names Asking::SotwList() const {
  const bool leaves_legacy = interest_.is_nothing() && told_.everything() && !named_;
  Names list;
  if (leaves_legacy || (interest_.everything() && (SaysStar() || named_))) list.emplace_back(kStar);
  list.insert(list.end(), interest_.names().begin(), interest_.names().end());
  return list;
}

Asking::TakenBack Asking::SaySotw(Request* request) {
  request->names = SotwList();
  again_.clear();
  const bool half_way = interest_.is_nothing() && !request->names.empty();
  named_ |= !request->names.empty();
  if (half_way) return {};  // the empty list stays to be said
  return changed_ || !told_once_ ? Tell() : TakenBack();
}

// Everything that is wanted (B.2-2).
Asking::TakenBack Asking::SayFirstDelta(Request* request) {
  if (interest_.everything() && SaysStar()) request->names.emplace_back(kStar);
  request->names.insert(request->names.end(), interest_.names().begin(), interest_.names().end());
  again_.clear();
  return Tell();
}

// What differs from what was told, and what has to be said once more. Names that are subscribed and unsubscribed go in
// one request: their lists are apart, so their order means nothing. An answer to a response for which there is nothing
// to say carries two empty lists, which mean "no change" from the second request on (B.2-4).
Asking::TakenBack Asking::SayDelta(Request* request) {
  if (!HasNews()) return {};
  std::set<std::string> add = std::move(again_);
  again_.clear();
  for (std::string& name : Difference(interest_.names(), told_.names())) add.insert(std::move(name));
  if (interest_.everything() && !told_.everything()) add.emplace(kStar);
  Names remove = Difference(told_.names(), interest_.names());
  if (told_.everything() && !interest_.everything()) remove.emplace_back(kStar);
  std::sort(remove.begin(), remove.end());
  request->names.assign(add.begin(), add.end());
  request->unsubscribe = std::move(remove);
  return changed_ ? Tell() : TakenBack();
}

Asking::TakenBack Asking::OnForeignRequest(const Request& request) {
  const bool first = requests_++ == 0;
  const bool legacy = request.names.empty() && request.unsubscribe.empty() && (delta_ ? first : !named_);
  if (legacy) {
    interest_ = Interest::Everything();
  } else if (!delta_) {
    interest_ = Interest::Names(request.names);
  } else {
    const Interest removed = Interest::Names(request.unsubscribe);
    Names names = Difference(interest_.names(), removed.names());
    names.insert(names.end(), request.names.begin(), request.names.end());
    const bool stays = interest_.everything() && !removed.everything();
    interest_ = stays ? Interest::EverythingAnd(std::move(names)) : Interest::Names(std::move(names));
  }
  for (const std::string& name : request.names) again_.erase(name);
  named_ |= !request.names.empty();
  return Tell();
}

}  // namespace xdscope::protocol
