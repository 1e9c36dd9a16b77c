// The half of a subscription that says what is to be sent.
//
// What is owed. A response is made of two things. The difference: told_ is the state that the client was last brought
// up to, and what the cache has now is compared with it; what changed in between and is asked for goes out, however
// many states came and went meanwhile. And the debts, which no comparison of states can find: names that were just
// asked for (owed_), everything after a wildcard (everything_), a first response even if there is nothing (XDS-S065),
// names to be said again (resend_). After Updates() told_ is the present state and the debts are paid, all but those of
// a stale SotW request, which wait for the request that is not stale (answers_wait_).
//
// Removals go after changes. A reference must never point to what is gone, so what is gone is only noted (delta:
// unsaid_removals_; a full state: unsaid_omissions_) until no type of the stream has changes left; ServerSession then
// asks for Removals() in the order in which what points goes first (make-before-break, C.8). A name that comes back
// meanwhile is taken out of the note. If nothing else is to be sent, changes and removals of a type go together.
//
// Refusals. A client that refuses a response keeps what it had of all names in it (K17), while told_ has moved on. The
// names of a refused response are remembered (refused_) and nothing is sent again at once, since the same bytes would
// be refused again (XDS-S032). When one of them changes, all of them are due, as they are then.
#include <algorithm>

#include "lib/protocol/names.h"
#include "lib/protocol/server_subscription.h"

namespace xdscope::protocol {
namespace {

bool IsSame(const TypeSnapshot& left, const TypeSnapshot& right) {
  return &left == &right || (!left.version.empty() && left.version == right.version);
}

std::shared_ptr<const TypeSnapshot> SnapshotOf(const ResourceCache& cache, std::string_view type_url) {
  std::shared_ptr<const TypeSnapshot> snapshot = cache.Find(type_url);
  return snapshot != nullptr ? snapshot : std::make_shared<const TypeSnapshot>();
}

}  // namespace

void ServerSubscription::Tidy(Delivery* delivery) {
  auto& resources = delivery->resources;
  if (!std::is_sorted(resources.begin(), resources.end())) std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  delivery->all = !resources.empty() && resources.size() == delivery->snapshot->resources.size();
  if (delivery->all) resources = {};
}

// ---- Two states compared.

ServerSubscription::Difference ServerSubscription::Compare(const TypeSnapshot& now) const {
  if (IsSame(*told_, now)) return {};
  return NamesAreFewerThan(told_->resources.size() + now.resources.size()) ? CompareNamed(now) : CompareAll(now);
}

bool ServerSubscription::NamesAreFewerThan(std::size_t resources) const {
  constexpr std::size_t kSearchCost = 16;  // against a step of the walk
  return names_.size() * kSearchCost < resources && !wildcard_ && globs_ == 0 && aliases_.empty();
}

ServerSubscription::Difference ServerSubscription::CompareAll(const TypeSnapshot& now) const {
  Difference difference;
  auto old = told_->resources.begin();
  const auto old_end = told_->resources.end();
  for (const SnapshotEntry& entry : now.resources) {
    for (; old != old_end && old->name < entry.name; ++old) {
      if (Covers(old->name)) difference.removed.push_back(old->name);
    }
    const bool was_there = old != old_end && old->name == entry.name;
    const bool same = was_there && old->version == entry.version;
    if (was_there) ++old;
    if (!same && Covers(entry.name)) difference.changed.push_back(now.IndexOf(entry));
  }
  for (; old != old_end; ++old) {
    if (Covers(old->name)) difference.removed.push_back(old->name);
  }
  return difference;
}

ServerSubscription::Difference ServerSubscription::CompareNamed(const TypeSnapshot& now) const {
  Difference difference;
  for (const auto& [name, list] : names_) {
    const SnapshotEntry* before = told_->Find(name);
    const SnapshotEntry* entry = now.Find(name);
    if (entry == nullptr) {
      if (before != nullptr) difference.removed.push_back(before->name);
    } else if (before == nullptr || before->version != entry->version) {
      difference.changed.push_back(now.IndexOf(*entry));
    }
  }
  return difference;
}

// ---- Updates.

bool ServerSubscription::Owes() const {
  return !answers_wait_ && (owes_first_response_ || everything_ != Everything::kTold || !owed_.empty());
}

bool ServerSubscription::IsUpToDate(const ResourceCache& cache) const {
  if (Owes() || !resend_.empty()) return false;
  if (!wildcard_ && names_.empty()) return true;
  const std::shared_ptr<const TypeSnapshot> now = cache.Find(type_url_);
  return now == nullptr ? told_->resources.empty() : IsSame(*told_, *now);
}

std::optional<ServerSubscription::Delivery> ServerSubscription::Updates(const ResourceCache& cache) {
  if (IsUpToDate(cache)) return std::nullopt;
  std::shared_ptr<const TypeSnapshot> now = SnapshotOf(cache, type_url_);
  std::optional<Delivery> delivery = full_state() ? FullUpdate(now) : PartialUpdate(now, cache);
  told_ = std::move(now);
  resend_.clear();
  if (answers_wait_) return delivery;
  owed_.clear();
  everything_ = Everything::kTold;
  owes_first_response_ = false;
  return delivery;
}

// A response of LDS or CDS holds everything, and says by omission what is gone (B.1-9). After a refusal only a change
// is worth another one (XDS-S032).
std::optional<ServerSubscription::Delivery> ServerSubscription::FullUpdate(std::shared_ptr<const TypeSnapshot> now) {
  const Difference difference = Compare(*now);
  const bool is_owed = Owes() && (everything_ == Everything::kNew || NewlyNamedExists(*now));
  const bool changed = is_owed || !difference.changed.empty();
  if (changed || (Owes() && !refused_last_)) {
    unsaid_omissions_ = false;
    return Whole(std::move(now));
  }
  unsaid_omissions_ = unsaid_omissions_ || !difference.removed.empty();
  return std::nullopt;
}

bool ServerSubscription::NewlyNamedExists(const TypeSnapshot& now) const {
  if (wildcard_) return false;
  return std::any_of(owed_.begin(), owed_.end(),
                     [&now](const std::string& name) { return IsGlob(name) || now.Find(name) != nullptr; });
}

ServerSubscription::Delivery ServerSubscription::Whole(std::shared_ptr<const TypeSnapshot> now) const {
  Delivery delivery;
  delivery.snapshot = std::move(now);
  delivery.all = wildcard_ && !delivery.snapshot->resources.empty();
  if (delivery.all) return delivery;
  for (const SnapshotEntry& entry : delivery.snapshot->resources) {
    if (Covers(entry.name)) delivery.resources.push_back(delivery.snapshot->IndexOf(entry));
  }
  Tidy(&delivery);
  return delivery;
}

std::optional<ServerSubscription::Delivery> ServerSubscription::PartialUpdate(std::shared_ptr<const TypeSnapshot> now,
                                                                              const ResourceCache& cache) {
  Difference difference = Compare(*now);
  NoteChanges(*now, difference);
  NoteRemovals(difference);
  RecallRefused(*now, &difference);
  Delivery delivery;
  delivery.snapshot = std::move(now);
  delivery.resources = std::move(difference.changed);
  AddResends(&delivery);
  if (Owes()) {
    AddOwed(cache, &delivery);
    AddEverything(&delivery);
  }
  Tidy(&delivery);
  const bool empty =
      delivery.resources.empty() && !delivery.all && delivery.removed.empty() && delivery.unresolved.empty();
  // Where nothing can be said to be absent, nothing is what is said of it (XDS-S036).
  if (empty && !(owes_first_response_ && is_delta())) return std::nullopt;
  return delivery;
}

void ServerSubscription::NoteChanges(const TypeSnapshot& now, const Difference& difference) {
  if (unsaid_removals_.empty()) return;
  for (const std::uint32_t index : difference.changed) unsaid_removals_.erase(std::string(now.resources[index].name));
}

void ServerSubscription::NoteRemovals(const Difference& difference) {
  if (!is_delta()) return;
  for (const std::string_view name : difference.removed) {
    const bool known = everything_ != Everything::kNew || HasName(name);
    if (known) unsaid_removals_.emplace(name);
  }
}

// The client keeps nothing of a message that it refused (K17), so all of it is due when a part of it has changed.
void ServerSubscription::RecallRefused(const TypeSnapshot& now, Difference* difference) {
  if (refused_.empty()) return;
  const auto was_refused = [this](std::string_view name) { return refused_.contains(name); };
  const bool touched = std::any_of(difference->removed.begin(), difference->removed.end(), was_refused) ||
                       std::any_of(difference->changed.begin(), difference->changed.end(),
                                   [&](std::uint32_t index) { return was_refused(now.resources[index].name); });
  if (!touched) return;
  for (const std::string& name : refused_) {
    if (const SnapshotEntry* entry = now.Find(name)) {
      difference->changed.push_back(now.IndexOf(*entry));
    } else if (is_delta()) {
      unsaid_removals_.insert(name);
    }
  }
  refused_.clear();
}

// ---- What is owed.

void ServerSubscription::AddOwed(const ResourceCache& cache, Delivery* delivery) {
  std::string_view folder;
  GlobMembers members;
  for (const std::string& name : owed_) {
    if (!IsGlob(name)) {
      AddOwedName(name, cache, delivery);
      continue;
    }
    // Globs of one folder that differ in their parameters stand together: the folder is looked through once for all.
    if (const std::string_view its = FolderOf(name); its != folder) {
      folder = its;
      members = MembersOf(folder, *delivery->snapshot);
    }
    AddOwedGlob(name, members, delivery);
  }
}

void ServerSubscription::AddResends(Delivery* delivery) const {
  for (const std::string& name : resend_) {
    if (const SnapshotEntry* entry = delivery->snapshot->Find(name))
      delivery->resources.push_back(delivery->snapshot->IndexOf(*entry));
  }
}

void ServerSubscription::AddOwedName(const std::string& name, const ResourceCache& cache, Delivery* delivery) {
  const SnapshotEntry* entry = delivery->snapshot->Find(name);
  if (entry == nullptr && type_->on_demand) {
    const std::string_view canonical = cache.Canonical(type_url_, name);
    entry = canonical.empty() ? nullptr : delivery->snapshot->Find(canonical);
    if (entry != nullptr) NoteAlias(name, canonical);
  }
  if (entry != nullptr) {
    delivery->resources.push_back(delivery->snapshot->IndexOf(*entry));
  } else if (is_delta() && type_->on_demand) {
    delivery->unresolved.push_back(name);  // XDS-S054
  } else if (is_delta()) {
    delivery->removed.push_back(name);  // XDS-S042
  }
  unsaid_removals_.erase(name);
}

// Returns what stands in a folder, by the glob over it; the names of a folder stand together.
ServerSubscription::GlobMembers ServerSubscription::MembersOf(std::string_view folder, const TypeSnapshot& snapshot) {
  GlobMembers members;
  const std::vector<SnapshotEntry>& entries = snapshot.resources;
  for (std::size_t i = snapshot.PlaceOf(folder); i < entries.size() && entries[i].name.starts_with(folder); ++i) {
    if (FolderOf(entries[i].name) == folder) {
      members[GlobOver(entries[i].name)].push_back(static_cast<std::uint32_t>(i));
    }
  }
  return members;
}

// An empty glob is itself removed (B.4-3).
void ServerSubscription::AddOwedGlob(const std::string& glob, const GlobMembers& members, Delivery* delivery) const {
  const auto found = members.find(glob);
  if (found != members.end()) {
    delivery->resources.insert(delivery->resources.end(), found->second.begin(), found->second.end());
  } else if (is_delta()) {
    delivery->removed.push_back(glob);
  }
}

void ServerSubscription::AddEverything(Delivery* delivery) const {
  if (everything_ == Everything::kTold) return;
  const std::vector<SnapshotEntry>& entries = delivery->snapshot->resources;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool told = everything_ == Everything::kNew && HasName(entries[i].name);
    if (!told) delivery->resources.push_back(static_cast<std::uint32_t>(i));
  }
}

// ---- Removals.

std::optional<ServerSubscription::Delivery> ServerSubscription::Removals() {
  if (!HasRemovals()) return std::nullopt;
  if (std::exchange(unsaid_omissions_, false)) return Whole(told_);
  Delivery delivery;
  delivery.snapshot = told_;
  AddRemovals(&delivery);
  return delivery;
}

void ServerSubscription::AddRemovals(Delivery* delivery) {
  delivery->removed.insert(delivery->removed.end(), unsaid_removals_.begin(), unsaid_removals_.end());
  std::sort(delivery->removed.begin(), delivery->removed.end());
  unsaid_removals_.clear();
}

}  // namespace xdscope::protocol
