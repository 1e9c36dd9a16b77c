#include "lib/client/follower.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lib/protocol/names.h"

namespace xdscope::client {
namespace {

std::string Normal(std::string_view name) {
  std::string room;
  return std::string(protocol::NormalName(name, &room));
}

}  // namespace

Follower::Follower(wire::Types& types, Settings settings)
    : settings_(std::move(settings)), references_(types, settings_.this_server) {}

// A resource may come under another name than it was asked for, so every name that stands for it counts.
std::size_t Follower::DepthOf(const std::string& type_url, const resource::Resource& resource) const {
  std::size_t depth = 0;
  const auto look = [&](std::string_view name) {
    Target target{type_url, std::nullopt, Normal(name)};
    for (const std::optional<std::uint32_t> source : {std::optional<std::uint32_t>(), std::optional(resource.source)}) {
      target.source = source;
      const auto wanted = wanted_.find(target);
      if (wanted != wanted_.end()) depth = std::max(depth, wanted->second.depth);
    }
  };
  look(resource.name);
  look({});
  if (protocol::IsXdstp(resource.name)) look(protocol::GlobOver(Normal(resource.name)));
  for (const std::string& alias : resource.aliases) look(alias);
  return depth;
}

// Returns nothing where there is no choice, or where the way of the type is taken.
std::optional<std::uint32_t> Follower::SourceOf(const resource::Reference& reference,
                                                const resource::Resource& from) const {
  if (settings_.sources.empty()) return std::nullopt;
  if (reference.here == "self") return from.source;
  const auto named = settings_.sources.find(reference.here);
  return named == settings_.sources.end() ? std::nullopt : std::optional(named->second);
}

Follower::Referred Follower::ReferencesOf(std::string_view from, const resource::Resource& resource,
                                          std::size_t depth) {
  Referred referred;
  if (!resource.message.ok()) return referred;
  for (const resource::Reference& reference : references_.Find(from, resource.message->view(), resource.name)) {
    std::string type_url = reference.type_url;
    if (const types::KnownType* known = types::FindByUrl(type_url)) {
      const std::string_view here = known->names(settings_.api).type_url;
      if (!here.empty()) type_url = here;
    }
    const std::optional<std::uint32_t> source = SourceOf(reference, resource);
    if (reference.origin == resource::Origin::kStatic) continue;
    if (reference.origin == resource::Origin::kElsewhere) {
      referred.elsewhere.push_back({std::move(type_url), reference.name, reference.elsewhere});
    } else if (!settings_.can_ask(type_url, source)) {
      referred.elsewhere.push_back({std::move(type_url), reference.name, "not in this variant"});
    } else if (depth == kMaxDepth) {
      referred.elsewhere.push_back(
          {std::move(type_url), reference.name, fmt::format("more than {} references away", kMaxDepth)});
    } else {
      referred.targets.push_back({std::move(type_url), source, Normal(reference.name)});
    }
  }
  return referred;
}

// `depth` is that of the resource that refers. Of several ways to a target the shortest counts.
void Follower::Count(const Referred& referred, std::size_t depth) {
  for (const Target& target : referred.targets) {
    Wanted& wanted = wanted_[target];
    before_.try_emplace(target, wanted.count > 0);
    wanted.depth = wanted.count == 0 ? depth + 1 : std::min(wanted.depth, depth + 1);
    ++wanted.count;
  }
  for (const Elsewhere& each : referred.elsewhere) ++elsewhere_[each];
}

void Follower::Discount(const Referred& referred) {
  for (const Target& target : referred.targets) {
    const auto count = wanted_.find(target);
    before_.try_emplace(target, true);
    if (--count->second.count == 0) wanted_.erase(count);
  }
  for (const Elsewhere& each : referred.elsewhere) {
    const auto count = elsewhere_.find(each);
    if (--count->second == 0) elsewhere_.erase(count);
  }
}

// A target that both the old and the new references have is counted up before it is counted down, so that its depth
// stays.
void Follower::Set(const std::string& type_url, const resource::Resource& resource) {
  const std::size_t depth = DepthOf(type_url, resource);
  Referred now = ReferencesOf(type_url, resource, depth);
  Count(now, depth);
  Remove(type_url, resource.name);
  if (now.targets.empty() && now.elsewhere.empty()) return;
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
    const auto& [type_url, source, name] = target;
    if (changes.empty() || changes.back().type_url != type_url || changes.back().source != source) {
      changes.push_back({.type_url = type_url, .source = source});
    }
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
