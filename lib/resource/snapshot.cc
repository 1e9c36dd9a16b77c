#include "lib/resource/snapshot.h"

#include <set>
#include <tuple>
#include <utility>

#include "lib/types/known_types.h"

namespace xdscope::resource {
namespace {

// Returns the part of `to` that stands where `part` does in `from`; both have the same bytes. Demands that `part` lies
// in `from`.
std::string_view Moved(std::string_view part, std::string_view from, std::string_view to) {
  return part.empty() ? std::string_view()
                      : to.substr(static_cast<std::size_t>(part.data() - from.data()), part.size());
}

// Returns what a resource counts for in its response. That is never nothing, so that a response in use is never taken
// for one that is not.
std::size_t Share(const Resource& resource) {
  return resource.entry.size() + 1;
}

bool IsLarge(const std::string& response) {
  return response.size() >= Snapshot::kLargeResponse;
}

}  // namespace

bool SameContent(const Resource& a, const Resource& b, wire::Types& types) {
  if (a.payload == b.payload) return true;
  if (!a.message.ok() || !b.message.ok() || &a.message->type() != &b.message->type()) return false;
  return wire::Equal(a.message->view(), b.message->view(), types);
}

bool OutputOrder::operator()(const std::string& a, const std::string& b) const {
  return std::tuple(types::OutputRank(a), std::string_view(a)) < std::tuple(types::OutputRank(b), std::string_view(b));
}

ContentChanges Snapshot::Apply(Delivery delivery, wire::Types& types, const OnChange& on_change) {
  ContentChanges changes;
  TypeState& type = types_[delivery.type_url];
  type.version = std::move(delivery.version);
  absl::flat_hash_set<std::string_view> came;
  came.reserve(delivery.resources.size());
  for (const Resource& resource : delivery.resources) came.insert(resource.name);
  std::set<std::string, std::less<>> gone(delivery.removed.begin(), delivery.removed.end());
  if (delivery.whole) {
    for (const auto& [name, resource] : type.resources) {
      if (!came.contains(name)) gone.insert(name);
    }
  }
  for (const std::string& name : gone) {
    const auto place = type.resources.find(name);
    if (place == type.resources.end()) continue;
    changes.removed.push_back(name);
    if (on_change) on_change(&place->second, nullptr);
    Release(&place->second);
    type.resources.erase(place);
  }
  for (Resource& resource : delivery.resources) {
    const bool is_first = came.erase(resource.name) > 0;
    const bool is_there = std::exchange(resource.is_held, false) && !gone.contains(resource.name);
    if (is_first && !is_there) Put(type, std::move(resource), &changes, types, on_change);
  }
  return changes;
}

void Snapshot::Put(TypeState& type, Resource resource, ContentChanges* changes, wire::Types& types,
                   const OnChange& on_change) {
  const auto place = type.resources.lower_bound(resource.name);
  if (place == type.resources.end() || place->first != resource.name) {
    changes->added.push_back(resource.name);
    if (on_change) on_change(nullptr, &resource);
    std::string name = resource.name;
    Hold(&type.resources.emplace_hint(place, std::move(name), std::move(resource))->second);
    return;
  }
  if (!SameContent(place->second, resource, types)) {
    changes->changed.push_back(resource.name);
    if (on_change) on_change(&place->second, &resource);
  }
  Release(&place->second);
  place->second = std::move(resource);
  Hold(&place->second);
}

// Takes note that a resource lies in its response.
void Snapshot::Hold(Resource* place) {
  Use& use = used_[place->buffer.get()];
  use.bytes += Share(*place);
  if (IsLarge(*place->buffer)) use.resources.insert(place);
}

// Takes note that a resource will no longer lie in its response, and lets the response go when little of it is left.
void Snapshot::Release(Resource* place) {
  const auto use = used_.find(place->buffer.get());
  use->second.bytes -= Share(*place);
  use->second.resources.erase(place);
  if (use->second.bytes == 0) {
    used_.erase(use);
  } else if (IsLarge(*place->buffer) && use->second.bytes < place->buffer->size() / 4) {
    CopyOut(use->first);
  }
}

void Snapshot::CopyOut(const std::string* buffer) {
  const auto left = used_.extract(buffer);
  for (Resource* resource : left.mapped().resources) MoveOut(resource);
}

// Gives a resource bytes of its own.
void Snapshot::MoveOut(Resource* resource) {
  auto own = std::make_shared<const std::string>(resource->entry);
  const std::string_view from = resource->entry;
  resource->type_url = Moved(resource->type_url, from, *own);
  resource->payload = Moved(resource->payload, from, *own);
  if (resource->message.ok()) resource->message = resource->message->MovedTo(resource->payload);
  resource->entry = *own;
  resource->buffer = std::move(own);
  Hold(resource);
}

const Resource* Snapshot::Find(const std::string& type_url, std::string_view name) const {
  const auto type = types_.find(type_url);
  if (type == types_.end()) return nullptr;
  const auto resource = type->second.resources.find(name);
  return resource == type->second.resources.end() ? nullptr : &resource->second;
}

}  // namespace xdscope::resource
