#include "lib/protocol/server_subscription.h"

#include <algorithm>

#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

// So many responses may wait for a verdict; of older ones a late refusal changes nothing.
constexpr std::size_t kMostUnanswered = 8;

std::string Normal(std::string name) {
  std::string room;
  const std::string_view normal = NormalName(name, &room);
  return normal.data() == name.data() ? std::move(name) : room;
}

// What a client says that it has: a TypeSnapshot that owns its text.
struct Announced : TypeSnapshot {
  std::vector<std::pair<std::string, std::string>> texts;
};

}  // namespace

ServerSubscription::ServerSubscription(std::string type_url, Variant variant)
    : type_url_(std::move(type_url)),
      type_(&types::RowOf(type_url_)),
      variant_(variant),
      told_(std::make_shared<const TypeSnapshot>()) {}

// ---- What is asked for.

bool ServerSubscription::HasName(std::string_view name) const {
  return names_.contains(base::ToAbsl(name));
}

bool ServerSubscription::Covers(std::string_view name) const {
  if (wildcard_ || HasName(name) || by_alias_.contains(name)) return true;
  return globs_ > 0 && IsXdstp(name) && HasName(GlobOver(name));
}

void ServerSubscription::StartEverything() {
  wildcard_ = true;
  owes_first_response_ = true;
  everything_ = Everything::kNew;
}

void ServerSubscription::StopEverything() {
  wildcard_ = false;
  owes_first_response_ = false;
  everything_ = Everything::kTold;
  ForgetUncovered();
}

void ServerSubscription::Add(const std::string& name) {
  owed_.insert(name);
  if (names_.try_emplace(name, lists_).second && IsGlob(name)) ++globs_;
}

bool ServerSubscription::Remove(std::string_view name) {
  const auto found = names_.find(base::ToAbsl(name));
  if (found == names_.end()) return false;
  names_.erase(found);
  if (IsGlob(name)) --globs_;
  ForgetAlias(name);
  return true;
}

void ServerSubscription::NoteAlias(const std::string& alias, std::string_view name) {
  if (!HasName(alias)) return;
  ForgetAlias(alias);
  aliases_[alias] = name;
  ++by_alias_[std::string(name)];
}

void ServerSubscription::ForgetAlias(std::string_view alias) {
  const auto found = aliases_.find(alias);
  if (found == aliases_.end()) return;
  const auto count = by_alias_.find(found->second);
  if (--count->second == 0) by_alias_.erase(count);
  aliases_.erase(found);
}

void ServerSubscription::ForgetUncovered() {
  for (Names* names : {&owed_, &resend_, &unsaid_removals_, &refused_}) {
    absl::erase_if(*names, [this](const std::string& name) { return !Covers(name); });
  }
  if (wildcard_ || !names_.empty()) return;
  told_ = std::make_shared<const TypeSnapshot>();
  unsaid_omissions_ = false;
}

ServerSubscription::Change ServerSubscription::SetNames(const std::vector<std::string>& names) {
  ever_named_ = ever_named_ || !names.empty();
  bool everything = !ever_named_;
  Change change;
  ++lists_;
  std::string room;
  for (const std::string& said : names) {
    const std::string_view name = NormalName(said, &room);
    if (name.empty()) continue;
    if (name == kStar) {
      everything = true;
    } else if (const auto known = names_.find(base::ToAbsl(name)); known != names_.end()) {
      known->second = lists_;
    } else {
      Add(std::string(name));
      ++change.added;
    }
  }
  change.removed = RemoveUnlisted();
  change.wildcard = everything != wildcard_;
  if (change.wildcard && everything) StartEverything();
  if (change.wildcard && !everything) StopEverything();
  if (change.removed > 0 && !wildcard_) ForgetUncovered();
  return change;
}

std::size_t ServerSubscription::RemoveUnlisted() {
  std::vector<std::string> unlisted;
  for (const auto& [name, list] : names_) {
    if (list != lists_) unlisted.push_back(name);
  }
  for (const std::string& name : unlisted) Remove(name);
  return unlisted.size();
}

void ServerSubscription::OweAgain() {
  if (wildcard_) everything_ = Everything::kAgain;
  for (const auto& [name, list] : names_) owed_.insert(name);
}

ServerSubscription::Change ServerSubscription::Subscribe(const std::vector<std::string>& names) {
  Change change;
  for (const std::string& said : names) {
    if (said.empty()) continue;
    if (said == kStar) {
      if (wildcard_) {
        everything_ = Everything::kAgain;
      } else {
        StartEverything();
        change.wildcard = true;
      }
      continue;
    }
    std::string name = Normal(said);
    if (HasName(name)) {
      owed_.insert(std::move(name));
    } else {
      Add(name);
      ++change.added;
    }
  }
  return change;
}

// A name that is subscribed and unsubscribed by one request is not wanted; so is "*", by which some clients say
// "nothing yet" (C.10, Istio).
ServerSubscription::Change ServerSubscription::Unsubscribe(const std::vector<std::string>& names) {
  Change change;
  if (wildcard_ && std::find(names.begin(), names.end(), kStar) != names.end()) {
    StopEverything();
    change.wildcard = true;
  }
  for (const std::string& said : names) {
    const std::string name = Normal(said);
    if (!Remove(name)) continue;
    ++change.removed;
    if (wildcard_) owed_.insert(name);
  }
  if (change.removed > 0 && !wildcard_) ForgetUncovered();
  return change;
}

ServerSubscription::Change ServerSubscription::SubscribeToEverything() {
  StartEverything();
  return {.wildcard = true};
}

// What it has at the same version need not be said (XDS-S071, K4); all else follows from the comparison.
void ServerSubscription::Resume(std::vector<std::pair<std::string, std::string>> versions) {
  auto announced = std::make_shared<Announced>();
  announced->texts = std::move(versions);
  for (auto& [name, version] : announced->texts) name = Normal(std::move(name));
  auto& texts = announced->texts;
  std::stable_sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  texts.erase(std::unique(texts.begin(), texts.end(), same_name), texts.end());
  for (const auto& [name, version] : texts) {
    announced->resources.push_back({name, version});
    if (const auto owed = owed_.find(name); owed != owed_.end()) owed_.erase(owed);
  }
  everything_ = Everything::kTold;
  resumed_ = !announced->resources.empty();
  told_ = std::move(announced);
}

void ServerSubscription::Resend(std::string_view name) {
  std::string room;
  const std::string_view normal = NormalName(name, &room);
  if (Covers(normal)) resend_.emplace(normal);
}

// ---- Verdicts.

void ServerSubscription::OnSent(const Delivery& delivery, std::uint64_t number) {
  last_sent_ = number;
  answered_ = false;
  refused_last_ = false;
  if (full_state()) return;  // a change will bring everything anyway
  unanswered_.push_back({number, delivery});
  if (unanswered_.size() > kMostUnanswered) unanswered_.pop_front();
}

bool ServerSubscription::OnVerdict(std::uint64_t number, bool refused) {
  const bool newest = number == last_sent_ && number != 0 && !answered_;
  if (newest) {
    answered_ = true;
    refused_last_ = refused;
  }
  const auto has_number = [number](const Unanswered& sent) { return sent.number == number; };
  const auto sent = std::find_if(unanswered_.begin(), unanswered_.end(), has_number);
  if (sent == unanswered_.end()) return newest;
  if (refused) {
    NoteRefused(sent->delivery);
  } else {
    NoteAccepted(sent->delivery);
  }
  unanswered_.erase(unanswered_.begin(), sent + 1);
  return true;
}

void ServerSubscription::NoteRefused(const Delivery& delivery) {
  const auto note = [this](std::string_view name) {
    if (Covers(name)) refused_.emplace(name);
  };
  const std::vector<SnapshotEntry>& entries = delivery.snapshot->resources;
  if (delivery.all) {
    for (const SnapshotEntry& each : entries) note(each.name);
  }
  for (const std::uint32_t index : delivery.resources) note(entries[index].name);
  for (const std::string& name : delivery.removed) note(name);
}

void ServerSubscription::OweRefused() {
  unsaid_omissions_ = full_state();  // all of it is said again
  for (const std::string& name : refused_) {
    if (told_->Find(name) != nullptr) {
      resend_.insert(name);
    } else if (is_delta()) {
      unsaid_removals_.insert(name);
    }
  }
}

void ServerSubscription::NoteAccepted(const Delivery& delivery) {
  if (refused_.empty()) return;
  const auto accept = [this](std::string_view name) {
    if (const auto found = refused_.find(name); found != refused_.end()) refused_.erase(found);
  };
  const std::vector<SnapshotEntry>& entries = delivery.snapshot->resources;
  if (delivery.all) {
    for (const SnapshotEntry& each : entries) accept(each.name);
  }
  for (const std::uint32_t index : delivery.resources) accept(entries[index].name);
  for (const std::string& name : delivery.removed) accept(name);
}

}  // namespace xdscope::protocol
