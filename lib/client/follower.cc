#include "lib/client/follower.h"

#include <utility>

namespace xdscope::client {

Follower::Follower(wire::Types& types, Settings settings)
    : settings_(std::move(settings)), references_(types, settings_.this_server) {}

Follower::Referred Follower::ReferencesOf(const resource::Resource& resource) {
  Referred referred;
  if (!resource.message.ok()) return referred;
  for (const resource::Reference& reference : references_.Find(resource.message->view(), resource.name)) {
    std::string type_url = reference.type_url;
    if (const types::KnownType* known = types::FindByUrl(type_url)) {
      const std::string_view here = known->names(settings_.api).type_url;
      if (!here.empty()) type_url = here;
    }
    if (reference.origin == resource::Origin::kElsewhere) {
      referred.elsewhere.push_back({std::move(type_url), reference.name, reference.elsewhere});
    } else if (!settings_.can_ask(type_url)) {
      referred.elsewhere.push_back({std::move(type_url), reference.name, "not in this variant"});
    } else {
      referred.targets.emplace_back(std::move(type_url), reference.name);
    }
  }
  return referred;
}

void Follower::Count(const Referred& referred) {
  for (const Target& target : referred.targets) {
    std::size_t& count = wanted_[target];
    before_.try_emplace(target, count > 0);
    ++count;
  }
  for (const Elsewhere& each : referred.elsewhere) ++elsewhere_[each];
}

void Follower::Discount(const Referred& referred) {
  for (const Target& target : referred.targets) {
    const auto count = wanted_.find(target);
    before_.try_emplace(target, true);
    if (--count->second == 0) wanted_.erase(count);
  }
  for (const Elsewhere& each : referred.elsewhere) {
    const auto count = elsewhere_.find(each);
    if (--count->second == 0) elsewhere_.erase(count);
  }
}

// A target that both the old and the new references have is counted down and up again, which is no change in the end.
void Follower::Set(const std::string& type_url, const resource::Resource& resource) {
  Referred now = ReferencesOf(resource);
  Remove(type_url, resource.name);
  if (now.targets.empty() && now.elsewhere.empty()) return;
  Count(now);
  by_resource_[{type_url, resource.name}] = std::move(now);
}

void Follower::Remove(const std::string& type_url, std::string_view name) {
  const auto known = by_resource_.find({type_url, std::string(name)});
  if (known == by_resource_.end()) return;
  Discount(known->second);
  by_resource_.erase(known);
}

// Compares each target that was touched with how it was before, so that what came and went in between is no change.
std::vector<WantChange> Follower::TakeChanges() {
  std::vector<WantChange> changes;
  for (const auto& [target, was_wanted] : std::exchange(before_, {})) {
    const bool is_wanted = wanted_.contains(target);
    if (is_wanted == was_wanted) continue;
    const auto& [type_url, name] = target;
    if (changes.empty() || changes.back().type_url != type_url) changes.push_back({.type_url = type_url});
    WantChange& change = changes.back();
    if (name.empty()) {
      (is_wanted ? change.everything : change.nothing_but_names) = true;
    } else {
      (is_wanted ? change.added : change.removed).push_back(name);
    }
  }
  return changes;
}

std::set<Elsewhere> Follower::elsewhere() const {
  std::set<Elsewhere> result;
  for (const auto& [each, count] : elsewhere_) result.insert(each);
  return result;
}

}  // namespace xdscope::client
