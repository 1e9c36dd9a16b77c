// The half of a subscription that takes responses: verdicts, and what is held after them.
#include <algorithm>

#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"
#include "lib/protocol/subscription.h"

namespace xdscope::protocol {
namespace {

constexpr int kNotFound = 5;  // google.rpc.Code
constexpr int kPermissionDenied = 7;

}  // namespace

void Subscription::OnResponse(Pending pending) {
  said_.responses++;
  if (!pending.nonce.empty()) said_.nonces.emplace(pending.nonce);
  NoteRead(pending);
  pending_.push_back(std::move(pending));
}

// A response is a proof that the server has read a request if it is the first, or delivers what only that request
// named.
void Subscription::NoteRead(const Pending& pending) {
  said_.read = std::max<std::uint64_t>(said_.read, 1);
  if (!traits_.full_state || said_.ever_everything || said_.read >= said_.newest) return;
  for (const Pending::Entry& entry : pending.entries) {
    const auto told = said_.names.find(base::ToAbsl(entry.name));
    if (told != said_.names.end() && told->second.now) said_.read = std::max(said_.read, told->second.since);
  }
}

std::optional<Pending> Subscription::Take(ResponseId id) {
  const auto found =
      std::find_if(pending_.begin(), pending_.end(), [id](const Pending& pending) { return pending.id == id; });
  if (found == pending_.end()) return std::nullopt;
  Pending taken = std::move(*found);
  pending_.erase(found);
  return taken;
}

std::optional<Pending> Subscription::TakeByNonce(std::string_view nonce) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [nonce](const Pending& pending) { return pending.nonce == nonce; });
  return found == pending_.end() ? std::nullopt : Take(found->id);
}

// ---- Verdicts.

void Subscription::NoteAnswer(const Pending& pending, bool refused) {
  said_.nonce = pending.nonce;
  said_.refused_last = refused;
  if (said_.nothing) said_.answered_since_nothing++;
}

// A call whose names have changed since asks for them as for the first time (B.1-11): the version stays unsaid.
void Subscription::AcceptVersion(std::string_view version) {
  if (!options_.unary || !changed_) good_version_ = version;
}

Verdict Subscription::Accept(const Pending& pending) {
  Apply(pending, {});
  AcceptVersion(pending.version);
  NoteAnswer(pending, false);
  return {good_version_, said_.nonce, std::nullopt};
}

Verdict Subscription::Refuse(const Pending& pending, RequestError error) {
  Drop(pending);
  NoteAnswer(pending, true);
  return {good_version_, said_.nonce, std::move(error)};
}

Verdict Subscription::AcceptPartly(const Pending& pending, std::span<const std::string_view> refused,
                                   RequestError error) {
  NameSet names;
  for (const std::string_view name : refused) names.insert(base::ToAbsl(name));
  for (const Pending::Entry& entry : pending.entries) {
    if (names.contains(base::ToAbsl(entry.name))) NoteRefused(entry.name);
  }
  Apply(pending, names);
  const auto good = [&names](const Pending::Entry& entry) {
    return !entry.name.empty() && !names.contains(base::ToAbsl(entry.name));
  };
  if (pending.entries.empty() || std::any_of(pending.entries.begin(), pending.entries.end(), good)) {
    AcceptVersion(pending.version);
  }
  NoteAnswer(pending, true);
  return {good_version_, said_.nonce, std::move(error)};
}

void Subscription::Drop(const Pending& pending) {
  for (const Pending::Entry& entry : pending.entries) {
    if (entry.meaning == Pending::Meaning::kResource) NoteRefused(entry.name);
  }
  for (const Pending::Alias& alias : pending.aliases) NoteRefused(alias.alias);
}

void Subscription::NoteRefused(std::string_view name) {
  if (interest_.Has(name)) refused_.emplace(name);
}

// ---- What is held.

void Subscription::Apply(const Pending& pending, const NameSet& refused) {
  held_.reserve(pending.entries.size());
  for (const Pending::Entry& entry : pending.entries) {
    if (!refused.contains(base::ToAbsl(entry.name))) {
      ApplyEntry(pending, entry);
    } else if (HeldResource* held = FindHeld(entry.name)) {
      held->response = pending.id;  // refused, but not missing
    }
  }
  for (const Pending::Alias& alias : pending.aliases) {
    if (!refused.contains(base::ToAbsl(alias.name))) ApplyAlias(alias);
  }
  for (const std::string_view name : pending.removed) Lose(name, "the server removed it");
  if (!is_delta() && traits_.full_state) DropOmitted(pending.id);
  if (!is_delta() && (traits_.full_state || options_.unary)) NoteUndelivered();
  for (const ResourceError& error : pending.errors) NoteError(error);
}

void Subscription::ApplyEntry(const Pending& pending, const Pending::Entry& entry) {
  switch (entry.meaning) {
    case Pending::Meaning::kResource:
      Hold(entry.name, entry.version, pending.id);
      break;
    case Pending::Meaning::kHeartbeat:
      if (HeldResource* held = FindHeld(entry.name)) held->response = pending.id;
      break;
    case Pending::Meaning::kAbsent:
      Lose(entry.name, "the server has no such resource");
      break;
    case Pending::Meaning::kNothing:
      break;
  }
}

void Subscription::ApplyAlias(const Pending::Alias& alias) {
  if (!alias.resolved) return Lose(alias.alias, "the server has no such resource");
  ForgetWordsAbout(alias.alias);
  aliases_[std::string(alias.alias)] = alias.name;
}

void Subscription::Hold(std::string_view name, std::string_view version, ResponseId response) {
  HeldResource& held = held_.try_emplace(base::ToAbsl(name)).first->second;
  held.version = version;
  held.response = response;
  held.ambiguous = false;
  ForgetWordsAbout(name);
}

void Subscription::Lose(std::string_view name, std::string_view why) {
  Unhold(name);
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) aliases_.erase(alias);
  if (interest_.Has(name)) absent_[std::string(name)] = why;
}

HeldResource* Subscription::FindHeld(std::string_view name) {
  const auto found = held_.find(base::ToAbsl(name));
  return found == held_.end() ? nullptr : &found->second;
}

bool Subscription::Unhold(std::string_view name) {
  const auto held = held_.find(base::ToAbsl(name));
  if (held == held_.end()) return false;
  absl::erase_if(aliases_, [name](const auto& alias) { return alias.second == name; });
  held_.erase(held);
  return true;
}

// A response of a full-state type is all there is (B.1-9).
void Subscription::DropOmitted(ResponseId response) {
  absl::erase_if(held_, [this, response](const auto& held) {
    const bool gone = held.second.response != response;
    if (gone && interest_.Has(held.first)) absent_[held.first] = "no longer among all that the server has";
    return gone;
  });
}

// What was asked for, in a request that the server has read, and is not in a complete response does not exist. If it
// may not have read that request, its silence says nothing (B.1-9, K8).
void Subscription::NoteUndelivered() {
  for (const std::string& name : interest_.names()) {
    if (state(name) != NameState::kOpen) continue;
    const auto told = said_.names.find(name);
    if (told == said_.names.end() || !told->second.now) continue;
    if (told->second.since > said_.read && !options_.unary) continue;
    absent_[name] = "not among all that the server has";
  }
}

// The latest error stands until the name is delivered; only two codes take away what is held (B.0-20).
void Subscription::NoteError(const ResourceError& error) {
  const std::string words = fmt::format("the server says {}: {}", error.code, error.message);
  if (error.code == kNotFound || error.code == kPermissionDenied) Lose(error.name, words);
  words_[std::string(error.name)] = words;
  if (interest_.Has(error.name) && Held(error.name) == nullptr) absent_[std::string(error.name)] = words;
}

// Drops what nothing asks for any more (B.2-11).
void Subscription::Prune() {
  if (said_.everything) return;
  absl::erase_if(aliases_, [this](const auto& alias) { return AskedFor(alias.first) != Asked::kNow; });
  NameSet by_alias;
  for (const auto& [alias, name] : aliases_) by_alias.insert(name);
  absl::erase_if(held_, [this, &by_alias](const auto& held) {
    return !by_alias.contains(held.first) && AskedFor(held.first) != Asked::kNow;
  });
}

}  // namespace xdscope::protocol
