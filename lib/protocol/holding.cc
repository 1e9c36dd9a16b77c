#include "lib/protocol/holding.h"

#include <algorithm>

#include "fmt/format.h"
#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

constexpr std::string_view kNoSuchResource = "the server has no such resource";

// A resource that nothing names: without a name, or a wrapper that cannot be read.
bool HasUnnamedEntry(const Pending& pending) {
  return std::any_of(pending.entries.begin(), pending.entries.end(),
                     [](const Pending::Entry& entry) { return entry.name.empty(); });
}

// Names by their normal forms; `forms` keeps those that had to be made.
absl::flat_hash_set<absl::string_view> NormalNames(std::span<const std::string> names, std::deque<std::string>* forms) {
  absl::flat_hash_set<absl::string_view> normal;
  std::string room;
  for (const std::string& name : names) normal.insert(forms->emplace_back(NormalName(name, &room)));
  return normal;
}

// When an entry expires unless it is said again; nullopt: never.
std::optional<Moment> ExpiryOf(const Pending& pending, const Pending::Entry& entry) {
  return entry.ttl ? std::optional(pending.arrived + *entry.ttl) : std::nullopt;
}

}  // namespace

// ---- What is known of names.

NameState Holding::StateOf(std::string_view name, const Asking& asking) const {
  std::string room;
  const std::string_view key = NormalName(name, &room);
  if (Find(key) != nullptr || aliases_.contains(base::ToAbsl(key))) return NameState::kHeld;
  const auto remark = remarks_.find(base::ToAbsl(key));
  if (remark != remarks_.end() && remark->second.absent) return NameState::kAbsent;
  if (by_glob_.contains(base::ToAbsl(key))) return NameState::kHeld;
  if (remark != remarks_.end() && remark->second.refused) return NameState::kRefused;
  return asking.interest().Has(key) ? NameState::kOpen : NameState::kUnwanted;
}

std::string_view Holding::WordsAbout(std::string_view name) const {
  std::string room;
  const auto remark = remarks_.find(base::ToAbsl(NormalName(name, &room)));
  return remark == remarks_.end() ? std::string_view() : std::string_view(remark->second.words);
}

const HeldResource* Holding::Find(std::string_view name) const {
  const auto found = held_.find(base::ToAbsl(name));
  return found == held_.end() ? nullptr : &found->second;
}

HeldResource* Holding::FindMutable(std::string_view name) {
  const auto found = held_.find(base::ToAbsl(name));
  return found == held_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Holding::Names() const {
  std::vector<std::string_view> names;
  names.reserve(held_.size());
  for (const auto& [name, held] : held_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view Holding::Canonical(std::string_view name) const {
  const auto found = aliases_.find(base::ToAbsl(name));
  return found == aliases_.end() ? name : std::string_view(found->second);
}

// ---- Verdicts.

void Holding::Accept(const Pending& pending, const Asking& asking, Changes* changes) {
  Apply(pending, {}, asking, changes);
}

void Holding::Refuse(const Pending& pending, const Asking& asking, Changes* changes) {
  for (const Pending::Entry& entry : pending.entries) {
    if (entry.meaning != Pending::Meaning::kHeartbeat) NoteRefused(entry.name, asking, changes);
  }
  for (const Pending::Alias& alias : pending.aliases) NoteRefused(alias.alias, asking, changes);
  for (const std::string_view name : pending.removed) NoteRefused(name, asking, changes);
  for (const ResourceError& error : pending.errors) NoteRefused(error.name, asking, changes);
  if (options_.full_state || options_.answers_all || HasUnnamedEntry(pending)) RefuseOpenNames(asking, changes);
}

bool Holding::AcceptPartly(const Pending& pending, std::span<const std::string> refused, const Asking& asking,
                           Changes* changes) {
  std::deque<std::string> forms;
  const NameSet names = NormalNames(refused, &forms);
  Apply(pending, names, asking, changes);
  bool good = pending.entries.empty();
  for (const Pending::Entry& entry : pending.entries) {
    if (names.contains(base::ToAbsl(entry.name))) {
      NoteRefused(entry.name, asking, changes);
    } else {
      good |= !entry.name.empty();
    }
  }
  return good;
}

// The order matters. Resources come before aliases, because an alias leads to what is held. Removals come after both: a
// name that one response delivers and removes is gone (XDS-S039). What a complete response leaves out shows only when
// all of it was taken. Names without any word are settled when everything that might have answered them is known, and
// errors come last, because the latest word about a name stands until it is delivered.
void Holding::Apply(const Pending& pending, const NameSet& refused, const Asking& asking, Changes* changes) {
  held_.reserve(pending.entries.size());
  said_ = 0;
  trail_.GoBack();
  for (const Pending::Entry& entry : pending.entries) {
    if (refused.empty() || !refused.contains(base::ToAbsl(entry.name))) {
      ApplyEntry(pending, entry, asking, changes);
    } else if (HeldResource* held = FindMutable(entry.name)) {
      NoteSaid(held, pending.id);  // refused, but not missing
    }
  }
  for (const Pending::Alias& alias : pending.aliases) {
    if (!refused.contains(base::ToAbsl(alias.name))) ApplyAlias(alias, asking, changes);
  }
  for (const std::string_view name : pending.removed) Lose(name, "the server removed it", asking, changes);
  if (options_.full_state) DropOmitted(pending.id, asking, changes);
  // What nobody can name may be what was asked for: then its name is refused, not absent.
  if (refused.contains(absl::string_view()) && HasUnnamedEntry(pending)) RefuseOpenNames(asking, changes);
  if (options_.full_state || options_.answers_all) NoteUndelivered(asking, changes);
  for (const ResourceError& error : pending.errors) NoteError(error, asking, changes);
}

void Holding::ApplyEntry(const Pending& pending, const Pending::Entry& entry, const Asking& asking, Changes* changes) {
  switch (entry.meaning) {
    case Pending::Meaning::kResource:
      Hold(pending, entry, asking, changes);
      break;
    case Pending::Meaning::kHeartbeat:
      if (HeldResource* held = FindMutable(entry.name)) {
        NoteSaid(held, pending.id);
        SetExpiry(entry.name, held, ExpiryOf(pending, entry));
      }
      break;
    case Pending::Meaning::kAbsent:
      Lose(entry.name, kNoSuchResource, asking, changes);
      break;
    case Pending::Meaning::kNothing:
      break;
  }
}

void Holding::ApplyAlias(const Pending::Alias& alias, const Asking& asking, Changes* changes) {
  if (!alias.resolved) return Lose(alias.alias, kNoSuchResource, asking, changes);
  HeldResource* held = FindMutable(alias.name);
  if (held == nullptr) return;
  remarks_.erase(base::ToAbsl(alias.alias));
  held->aliases.emplace(alias.alias);
  aliases_[base::ToAbsl(alias.alias)] = alias.name;
  if (asking.interest().Has(alias.alias)) changes->answered.emplace_back(alias.alias);
}

void Holding::Hold(const Pending& pending, const Pending::Entry& entry, const Asking& asking, Changes* changes) {
  const auto [place, is_new] = Obtain(entry.name);
  HeldResource& held = place->second;
  held.version = entry.version;
  NoteSaid(&held, pending.id);
  held.ambiguous = false;
  SetExpiry(entry.name, &held, ExpiryOf(pending, entry));
  if (is_new || !asking.AskedForEverything() || asking.interest().Has(entry.name)) {
    changes->held.emplace_back(entry.name);
  }
  if (!remarks_.empty()) remarks_.erase(base::ToAbsl(entry.name));
  if (!IsXdstp(entry.name)) return;
  std::string glob = GlobOver(entry.name);
  if (asking.interest().Has(glob)) changes->answered.push_back(glob);
  if (is_new) ++by_glob_[std::move(glob)];
}

std::pair<Holding::Held::value_type*, bool> Holding::Obtain(std::string_view name) {
  if (Held::value_type* const next = trail_.Follow(name)) return {next, false};
  const auto [place, is_new] = held_.try_emplace(base::ToAbsl(name));
  trail_.Lead(&*place);
  return {&*place, is_new};
}

void Holding::NoteSaid(HeldResource* held, ResponseId response) {
  if (std::exchange(held->response, response) != response) ++said_;
}

void Holding::SetExpiry(std::string_view name, HeldResource* held, std::optional<Moment> expires) {
  if (held->expires) expiries_.erase({*held->expires, std::string(name)});
  if (expires) expiries_.emplace(*expires, name);
  held->expires = expires;
}

void Holding::Drop(std::string_view name, Changes* changes) {
  const auto found = held_.find(base::ToAbsl(name));
  if (found == held_.end()) return;
  changes->lost.emplace_back(name);
  all_refused_.reset();
  for (const std::string& alias : found->second.aliases) {
    const auto known = aliases_.find(alias);
    if (known != aliases_.end() && known->second == name) aliases_.erase(known);
  }
  SetExpiry(name, &found->second, std::nullopt);
  if (IsXdstp(name)) {
    const auto glob = by_glob_.find(GlobOver(name));
    if (--glob->second == 0) by_glob_.erase(glob);
  }
  held_.erase(found);
  said_ = 0;
  trail_ = {};
}

void Holding::Lose(std::string_view name, std::string_view why, const Asking& asking, Changes* changes) {
  Drop(name, changes);
  aliases_.erase(base::ToAbsl(name));
  NoteAbsent(name, why, asking, changes);
}

void Holding::NoteAbsent(std::string_view name, std::string_view why, const Asking& asking, Changes* changes) {
  if (!asking.interest().Has(name)) return;
  remarks_[base::ToAbsl(name)] = {.absent = true, .words = std::string(why)};
  changes->absent.push_back({std::string(name), std::string(why)});
}

void Holding::NoteRefused(std::string_view name, const Asking& asking, Changes* changes) {
  if (name.empty() || !asking.interest().Has(name)) return;
  changes->refused.emplace_back(name);
  remarks_[base::ToAbsl(name)].refused = true;
}

// A response of a full-state type is all there is (B.1-9).
void Holding::DropOmitted(ResponseId response, const Asking& asking, Changes* changes) {
  if (said_ == held_.size()) return;
  std::vector<std::string> omitted;
  for (const auto& [name, held] : held_) {
    if (held.response != response) omitted.push_back(name);
  }
  std::sort(omitted.begin(), omitted.end());
  for (const std::string& name : omitted) Lose(name, "no longer among all that the server has", asking, changes);
}

// What was asked for, in a request that the server has read, and is not in a complete response does not exist. If it
// may not have read that request, its silence says nothing (B.1-9, K8).
void Holding::NoteUndelivered(const Asking& asking, Changes* changes) {
  for (const std::string& name : asking.interest().names()) {
    if (StateOf(name, asking) != NameState::kOpen) continue;
    if (asking.HasRead(name) || (options_.answers_all && asking.AskedFor(name) == WasAsked::kNow)) {
      NoteAbsent(name, "not among all that the server has", asking, changes);
    }
  }
}

void Holding::RefuseOpenNames(const Asking& asking, Changes* changes) {
  if (all_refused_ == asking.newest()) return;
  for (const std::string& name : asking.interest().names()) {
    if (asking.AskedFor(name) == WasAsked::kNow && StateOf(name, asking) == NameState::kOpen) {
      NoteRefused(name, asking, changes);
    }
  }
  all_refused_ = asking.newest();
}

// The latest error stands until the name is delivered (B.0-20).
void Holding::NoteError(const ResourceError& error, const Asking& asking, Changes* changes) {
  const std::string words = fmt::format("the server says {}: {}", error.code, error.message);
  if (TakesAway(error)) {
    Lose(error.name, words, asking, changes);
  } else if (Find(error.name) == nullptr) {
    NoteAbsent(error.name, words, asking, changes);
  }
  remarks_[base::ToAbsl(error.name)].words = words;
}

// ---- Other reasons to change.

void Holding::ForgetRemarkOn(std::string_view name) {
  remarks_.erase(base::ToAbsl(name));
  all_refused_.reset();
}

// Whether an alias that is still known leads to a held resource.
bool Holding::HasAlias(std::string_view name, const HeldResource& held) const {
  return std::any_of(held.aliases.begin(), held.aliases.end(), [&](const std::string& alias) {
    const auto known = aliases_.find(alias);
    return known != aliases_.end() && known->second == name;
  });
}

// Looks only at what was taken back, because interest may change name by name. Where everything or a glob was, that is
// all that is held.
void Holding::DropUnasked(const Asking::TakenBack& taken, const Asking& asking, Changes* changes) {
  if (asking.AskedForEverything()) return;
  std::vector<std::string> candidates = taken.names;
  for (const std::string& name : taken.names) {
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) continue;
    candidates.push_back(std::move(alias->second));
    aliases_.erase(alias);
  }
  if (taken.everything || std::any_of(taken.names.begin(), taken.names.end(), IsGlob)) {
    const std::vector<std::string_view> all = Names();
    candidates.assign(all.begin(), all.end());
  }
  for (const std::string& name : candidates) {
    const HeldResource* held = Find(name);
    if (held == nullptr || asking.AskedFor(name) == WasAsked::kNow || HasAlias(name, *held)) continue;
    Drop(name, changes);
  }
}

void Holding::MarkAmbiguous(std::string_view name) {
  if (HeldResource* held = FindMutable(name)) held->ambiguous = true;
}

// ---- Time.

std::optional<Moment> Holding::NextExpiry() const {
  return expiries_.empty() ? std::nullopt : std::optional(expiries_.begin()->first);
}

void Holding::OnTime(Moment now, Changes* changes) {
  while (!expiries_.empty() && expiries_.begin()->first <= now) {
    const std::string name = expiries_.begin()->second;
    Drop(name, changes);
    ForgetRemarkOn(name);
  }
}

void Holding::Forget() {
  *this = Holding(options_);
}

}  // namespace xdscope::protocol
