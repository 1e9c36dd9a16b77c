#include "lib/protocol/subscription.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

const std::string& Star() {
  static const std::string star(kStar);
  return star;
}

std::vector<std::string> Difference(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::vector<std::string> result;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(result));
  return result;
}

}  // namespace

Subscription::Subscription(std::string type_url, TypeTraits traits, Options options)
    : type_url_(std::move(type_url)), traits_(traits), options_(options) {}

// ---- What is known of names.

NameState Subscription::state(std::string_view name) const {
  std::string room;
  const std::string_view key = NormalName(name, &room);
  if (Held(key) != nullptr || aliases_.contains(key)) return NameState::kHeld;
  if (absent_.contains(key)) return NameState::kAbsent;
  if (IsGlob(key) && HoldsGlob(key)) return NameState::kHeld;
  if (refused_.contains(key)) return NameState::kRefused;
  return interest_.Has(key) ? NameState::kOpen : NameState::kUnwanted;
}

std::vector<std::string> Subscription::NamesIn(NameState wanted) const {
  std::vector<std::string> result;
  for (const std::string& name : interest_.names()) {
    if (state(name) == wanted) result.push_back(name);
  }
  return result;
}

bool Subscription::HasOpenNames() const {
  return std::any_of(interest_.names().begin(), interest_.names().end(),
                     [this](const std::string& name) { return state(name) == NameState::kOpen; });
}

std::string_view Subscription::WordsAbout(std::string_view name) const {
  std::string room;
  const std::string_view key = NormalName(name, &room);
  if (const auto absent = absent_.find(key); absent != absent_.end()) return absent->second;
  if (const auto words = words_.find(key); words != words_.end()) return words->second;
  return {};
}

std::string_view Subscription::Canonical(std::string_view name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? name : std::string_view(found->second);
}

bool Subscription::HoldsGlob(std::string_view glob) const {
  return std::any_of(held_.begin(), held_.end(), [glob](const auto& held) { return GlobCovers(glob, held.first); });
}

const HeldResource* Subscription::Held(std::string_view name) const {
  const auto found = held_.find(base::ToAbsl(name));
  return found == held_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Subscription::HeldNames() const {
  std::vector<std::string_view> names;
  names.reserve(held_.size());
  for (const auto& [name, held] : held_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

// ---- What was said.

bool Subscription::IsTold(std::string_view name) const {
  if (name == kStar) return said_.everything;
  const auto found = said_.names.find(base::ToAbsl(name));
  return found != said_.names.end() && found->second.now;
}

Asked Subscription::AskedFor(std::string_view name) const {
  if (said_.everything) return Asked::kNow;
  const auto found = said_.names.find(base::ToAbsl(name));
  if (found != said_.names.end() && found->second.now) return Asked::kNow;
  const auto covers = [name](const std::string& glob) { return GlobCovers(glob, name); };
  if (std::any_of(said_.globs.begin(), said_.globs.end(), covers)) return Asked::kNow;
  return said_.ever_everything || found != said_.names.end() ? Asked::kEarlier : Asked::kNever;
}

bool Subscription::SawNonce(std::string_view nonce) const {
  return said_.nonces.contains(base::ToAbsl(nonce));
}

// The server knows the whole interest after the request that is being made.
void Subscription::Tell() {
  said_.everything = interest_.everything();
  said_.ever_everything |= said_.everything;
  said_.named |= !interest_.names().empty();
  if (interest_.is_nothing() != said_.nothing) said_.answered_since_nothing = 0;
  said_.nothing = interest_.is_nothing();
  TellNames();
  Prune();
}

void Subscription::TellNames() {
  said_.globs.clear();
  for (const std::string& name : interest_.names()) {
    Told& told = said_.names[name];
    if (!told.now) told.since = said_.newest = said_.requests;
    told.now = true;
    told.last = said_.requests;
    if (IsGlob(name)) said_.globs.push_back(name);
  }
  for (auto& [name, told] : said_.names) told.now = told.last == said_.requests;
}

// ---- Interest.

void Subscription::SetInterest(Interest interest) {
  if (interest == interest_) return;
  const bool differences = is_delta() && said_.requests > 0;
  for (const std::string& name : Difference(interest_.names(), interest.names())) {
    ForgetWordsAbout(name);
    if (differences) Remove(name);
  }
  if (differences) {
    for (const std::string& name : Difference(interest.names(), interest_.names())) Add(name);
    if (interest.everything() && !interest_.everything()) Add(Star());
    if (!interest.everything() && interest_.everything()) Remove(Star());
  }
  interest_ = std::move(interest);
  changed_ = true;
  // A call that repeats the version asks for news only, and names that were added are none to many a server; see
  // AcceptVersion().
  if (options_.unary) good_version_.clear();
}

// Taking a name back and asking for it again must still be said: the server owes it anew (B.2-8, D5).
void Subscription::Add(const std::string& name) {
  to_remove_.erase(name);
  to_add_.insert(name);
}

void Subscription::Remove(const std::string& name) {
  to_add_.erase(name);
  if (IsTold(name)) to_remove_.insert(name);
}

void Subscription::ForgetWordsAbout(std::string_view name) {
  if (const auto found = absent_.find(name); found != absent_.end()) absent_.erase(found);
  if (const auto found = words_.find(name); found != words_.end()) words_.erase(found);
  if (const auto found = refused_.find(name); found != refused_.end()) refused_.erase(found);
}

absl::Status Subscription::Resubscribe(std::string_view name) {
  std::string room;
  const std::string key(NormalName(name, &room));
  const bool wanted = key == kStar ? interest_.everything() : interest_.Has(key);
  if (!wanted) return base::Error(absl::StatusCode::kNotFound, fmt::format("'{}' is not asked for", name));
  if (said_.requests == 0) return absl::OkStatus();  // the first request says it anyway
  if (is_delta()) {
    Add(key);
  } else {
    say_again_ = true;
  }
  return absl::OkStatus();
}

absl::Status Subscription::OnExpired(std::string_view name) {
  std::string room;
  if (Unhold(NormalName(name, &room))) return absl::OkStatus();
  return base::Error(absl::StatusCode::kNotFound, fmt::format("'{}' is not held", name));
}

// ---- Requests.

bool Subscription::HasNews() const {
  if (said_.requests == 0) return !interest_.is_nothing();  // a type without names stays silent (K31)
  if (is_delta()) return !to_add_.empty() || !to_remove_.empty();
  return say_again_ || (changed_ && !WasSaid());
}

// Whether the server knows the interest as it is, "*" or not aside.
bool Subscription::WasSaid() const {
  if (said_.everything != interest_.everything() || interest_.starred() != said_.starred) return false;
  const auto told = static_cast<std::size_t>(
      std::count_if(said_.names.begin(), said_.names.end(), [](const auto& entry) { return entry.second.now; }));
  return told == interest_.names().size() && std::all_of(interest_.names().begin(), interest_.names().end(),
                                                         [this](const std::string& name) { return IsTold(name); });
}

std::optional<Request> Subscription::NextInterest() {
  if (!pending_.empty()) return std::nullopt;
  if (!HasNews()) {
    changed_ = false;
    return std::nullopt;
  }
  Request request;
  request.kind = said_.requests == 0 ? Request::Kind::kFirst : Request::Kind::kInterest;
  if (!is_delta()) {
    request.version = good_version_;
    request.nonce = said_.nonce;
  }
  SayInterest(&request);
  return request;
}

Request Subscription::Answer(Verdict verdict) {
  Request request;
  request.kind = verdict.error ? Request::Kind::kNack : Request::Kind::kAck;
  request.nonce = std::move(verdict.nonce);
  if (!is_delta()) request.version = std::move(verdict.version);
  request.error = std::move(verdict.error);
  SayInterest(&request);
  return request;
}

void Subscription::SayInterest(Request* request) {
  request->type_url = type_url_;
  const bool first = said_.requests++ == 0;
  if (!is_delta()) {
    SaySotw(request);
  } else if (first) {
    SayFirstDelta(request);
  } else {
    SayDelta(request);
  }
}

// The whole list. An empty one means everything until something was named on the stream, and nothing from then on; so
// whoever has everything by an empty list must say "*" before an empty list can mean nothing (B.1-7).
std::vector<std::string> Subscription::SotwList() const {
  const bool from_legacy = said_.everything && !said_.named;
  const bool plain = options_.wildcard == Wildcard::kLegacy && !interest_.starred() && interest_.names().empty();
  std::vector<std::string> list;
  if (interest_.everything() && (!plain || said_.named)) list.emplace_back(kStar);
  if (interest_.is_nothing() && from_legacy) list.emplace_back(kStar);
  list.insert(list.end(), interest_.names().begin(), interest_.names().end());
  return list;
}

void Subscription::SaySotw(Request* request) {
  request->names = SotwList();
  say_again_ = false;
  const bool half_way = interest_.is_nothing() && !request->names.empty();
  said_.named |= !request->names.empty();
  if (half_way) return;  // what is left to say stays news
  said_.starred = interest_.starred();
  if (changed_ || said_.requests == 1) Tell();
  changed_ = false;
}

// Everything that is wanted and, on resuming, what is held (B.2-2, B.2-16).
void Subscription::SayFirstDelta(Request* request) {
  const bool plain = options_.wildcard == Wildcard::kLegacy && !interest_.starred() && interest_.names().empty();
  if (interest_.everything() && !plain) request->names.emplace_back(kStar);
  request->names.insert(request->names.end(), interest_.names().begin(), interest_.names().end());
  Tell();
  for (const std::string_view name : HeldNames()) {
    const HeldResource* held = Held(name);
    if (!held->version.empty()) request->initial_versions.emplace_back(name, held->version);
  }
}

void Subscription::SayDelta(Request* request) {
  if (to_add_.empty() && to_remove_.empty()) return;
  request->names.assign(to_add_.begin(), to_add_.end());
  request->unsubscribe.assign(to_remove_.begin(), to_remove_.end());
  for (const std::string& name : to_remove_) {
    if (HeldResource* held = FindHeld(name)) held->ambiguous = true;
  }
  to_add_.clear();
  to_remove_.clear();
  Tell();
}

// Takes a request by somebody else for what was wanted. A SotW list is the whole of it; a delta adds and takes away.
void Subscription::OnForeignRequest(const Request& request) {
  const bool first = said_.requests++ == 0;
  const bool legacy = request.names.empty() && request.unsubscribe.empty() && (is_delta() ? first : !said_.named);
  if (legacy) {
    interest_ = Interest::Everything();
  } else if (!is_delta()) {
    interest_ = Interest::Names(request.names);
  } else {
    std::vector<std::string> names = Difference(interest_.names(), Interest::Names(request.unsubscribe).names());
    names.insert(names.end(), request.names.begin(), request.names.end());
    const bool stays = interest_.everything() && !Interest::Names(request.unsubscribe).everything();
    interest_ = stays ? Interest::EverythingAnd(std::move(names)) : Interest::Names(std::move(names));
  }
  for (const std::string& name : request.names) to_add_.erase(name);
  for (const std::string& name : request.unsubscribe) to_remove_.erase(name);
  said_.named |= !request.names.empty();
  said_.starred = interest_.starred();
  changed_ = false;
  Tell();
}

// ---- The stream.

void Subscription::OnStreamOpened() {
  // A new stream asks anew; what the old server said of absent names is no answer to that (B.0-12).
  absent_.clear();
  words_.clear();
  refused_.clear();
}

void Subscription::OnStreamClosed() {
  said_ = {};
  changed_ = false;
  say_again_ = false;
  to_add_.clear();
  to_remove_.clear();
  pending_.clear();
}

void Subscription::Forget() {
  good_version_.clear();
  held_.clear();
  aliases_.clear();
  absent_.clear();
  words_.clear();
  refused_.clear();
}

}  // namespace xdscope::protocol
