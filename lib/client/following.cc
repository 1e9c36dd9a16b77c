#include "lib/client/following.h"

namespace xdscope::client {

void Following::Take(const std::string& type_url, const resource::ContentChanges& changes,
                     const resource::Snapshot& held) {
  for (const auto* names : {&changes.added, &changes.changed}) {
    for (const std::string& name : *names) {
      if (const resource::Resource* resource = held.Find(type_url, name)) follower_.Set(type_url, *resource);
    }
  }
  for (const std::string& name : changes.removed) follower_.Remove(type_url, name);
}

void Following::TakeAll(const resource::Snapshot& held) {
  for (const auto& [type_url, state] : held.types()) {
    for (const auto& [name, resource] : state.resources) follower_.Set(type_url, resource);
  }
}

std::vector<Following::Change> Following::TakeChanges() {
  std::vector<Change> changes;
  for (const WantChange& change : follower_.TakeChanges()) {
    const protocol::Interest& typed = typed_(change.type_url);
    protocol::InterestChange interest;
    // Who wants everything gets them by that.
    for (const std::string& name : change.added) {
      if (!typed.everything()) interest.add.Add(name);
    }
    for (const std::string& name : change.removed) {
      if (!typed.Has(name)) interest.remove.Add(name);
    }
    if (change.everything) interest.add.SetEverything(true, starred_);
    if (change.nothing_but_names && !typed.everything()) interest.remove.SetEverything(true, false);
    if (!interest.empty()) changes.emplace_back(change.type_url, std::move(interest));
  }
  return changes;
}

}  // namespace xdscope::client
