#include "lib/protocol/topic.h"

#include <algorithm>

#include "lib/base/status.h"
#include "lib/protocol/names.h"

namespace xdscope::protocol {
namespace {

// So many responses may wait for a verdict; of older ones a late refusal changes nothing.
constexpr std::size_t kMostSteps = 8;

std::string Normal(std::string name) {
  std::string room;
  const std::string_view normal = NormalName(name, &room);
  return normal.data() == name.data() ? std::move(name) : room;
}

// The glob that stands for an xdstp name: that of its directory and context parameters (B.4-3).
std::string GlobOver(std::string_view name) {
  const std::size_t mark = std::min(name.find('?'), name.size());
  const std::string_view path = name.substr(0, mark);
  std::string glob(path.substr(0, path.rfind('/') + 1));
  glob += '*';
  glob += name.substr(mark);
  return glob;
}

// What a client says that it has: Holdings that own their text.
struct Announced : Holdings {
  std::vector<std::pair<std::string, std::string>> texts;
};

}  // namespace

Topic::Topic(std::string type_url, TypeTraits traits, Variant variant)
    : type_url_(std::move(type_url)), traits_(traits), variant_(variant), seen_(std::make_shared<const Holdings>()) {}

// ---- What is asked for.

bool Topic::HasName(std::string_view name) const {
  return names_.contains(base::ToAbsl(name));
}

bool Topic::Covers(std::string_view name) const {
  if (wildcard_ || HasName(name) || by_alias_.contains(name)) return true;
  return globs_ > 0 && IsXdstp(name) && HasName(GlobOver(name));
}

void Topic::StartEverything() {
  wildcard_ = true;
  greeting_ = true;
  everything_ = Everything::kNew;
}

void Topic::StopEverything() {
  wildcard_ = false;
  greeting_ = false;
  everything_ = Everything::kTold;
  ForgetUncovered();
}

void Topic::Add(std::string name) {
  owed_.insert(name);
  const bool is_glob = IsGlob(name);
  if (names_.try_emplace(std::move(name), lists_).second && is_glob) ++globs_;
}

bool Topic::Remove(std::string_view name) {
  const auto found = names_.find(base::ToAbsl(name));
  if (found == names_.end()) return false;
  names_.erase(found);
  if (IsGlob(name)) --globs_;
  ForgetAlias(name);
  return true;
}

void Topic::NoteAlias(const std::string& alias, std::string_view name) {
  if (!HasName(alias)) return;
  ForgetAlias(alias);
  aliases_[alias] = name;
  ++by_alias_[std::string(name)];
}

void Topic::ForgetAlias(std::string_view alias) {
  const auto found = aliases_.find(alias);
  if (found == aliases_.end()) return;
  const auto count = by_alias_.find(found->second);
  if (--count->second == 0) by_alias_.erase(count);
  aliases_.erase(found);
}

void Topic::ForgetUncovered() {
  for (Names* names : {&owed_, &again_, &gone_, &refused_}) {
    absl::erase_if(*names, [this](const std::string& name) { return !Covers(name); });
  }
  if (wildcard_ || !names_.empty()) return;
  seen_ = std::make_shared<const Holdings>();
  shrunk_ = false;
}

Topic::Change Topic::SetNames(const std::vector<std::string>& names) {
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

std::size_t Topic::RemoveUnlisted() {
  std::vector<std::string> unlisted;
  for (const auto& [name, list] : names_) {
    if (list != lists_) unlisted.push_back(name);
  }
  for (const std::string& name : unlisted) Remove(name);
  return unlisted.size();
}

void Topic::OweAgain() {
  if (wildcard_) everything_ = Everything::kAgain;
  for (const auto& [name, list] : names_) owed_.insert(name);
}

Topic::Change Topic::Subscribe(const std::vector<std::string>& names) {
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
      Add(std::move(name));
      ++change.added;
    }
  }
  return change;
}

// A name that is subscribed and unsubscribed by one request is not wanted; so is "*", by which some clients say
// "nothing yet" (C.10, Istio).
Topic::Change Topic::Unsubscribe(const std::vector<std::string>& names) {
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

Topic::Change Topic::SubscribeToEverything() {
  StartEverything();
  return {.wildcard = true};
}

// What it has at the same version need not be said (XDS-S071, K4); all else follows from the comparison.
void Topic::Resume(std::vector<std::pair<std::string, std::string>> versions) {
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
  seen_ = std::move(announced);
}

void Topic::Resend(std::string_view said) {
  std::string room;
  const std::string_view name = NormalName(said, &room);
  if (Covers(name)) again_.emplace(name);
}

// ---- Verdicts.

void Topic::OnSent(const Due& due, std::uint64_t number) {
  newest_ = number;
  answered_ = false;
  refused_last_ = false;
  if (full_state()) return;  // a change will bring everything anyway
  steps_.push_back({number, due});
  if (steps_.size() > kMostSteps) steps_.pop_front();
}

void Topic::OnVerdict(std::uint64_t number, bool refused) {
  if (number == newest_ && !answered_) {
    answered_ = true;
    refused_last_ = refused;
  }
  const auto has_number = [number](const Step& step) { return step.number == number; };
  const auto step = std::find_if(steps_.begin(), steps_.end(), has_number);
  if (step == steps_.end()) return;
  if (refused) {
    NoteRefused(step->due);
  } else {
    NoteAccepted(step->due);
  }
  steps_.erase(steps_.begin(), step + 1);
}

void Topic::NoteRefused(const Due& due) {
  const auto note = [this](std::string_view name) {
    if (Covers(name)) refused_.emplace(name);
  };
  const std::vector<Held>& held = due.holdings->resources;
  if (due.all) {
    for (const Held& each : held) note(each.name);
  }
  for (const std::uint32_t index : due.resources) note(held[index].name);
  for (const std::string& name : due.removed) note(name);
}

void Topic::NoteAccepted(const Due& due) {
  if (refused_.empty()) return;
  const auto accept = [this](std::string_view name) {
    if (const auto found = refused_.find(name); found != refused_.end()) refused_.erase(found);
  };
  const std::vector<Held>& held = due.holdings->resources;
  if (due.all) {
    for (const Held& each : held) accept(each.name);
  }
  for (const std::uint32_t index : due.resources) accept(held[index].name);
  for (const std::string& name : due.removed) accept(name);
}

}  // namespace xdscope::protocol
