#include "lib/resource/snapshot.h"

#include <set>
#include <tuple>
#include <utility>

#include "lib/types/known_types.h"

namespace xdscope::resource {
namespace {

// Whether two resources say the same. Bytes that nobody can decode are compared as they are.
bool SameContent(const Resource& a, const Resource& b, wire::Types& types) {
  if (a.payload == b.payload) return true;
  if (!a.message.ok() || !b.message.ok() || &a.message->type() != &b.message->type()) return false;
  return wire::Equal(a.message->view(), b.message->view(), types);
}

// The part of `to` that stands where `part` does in `from`; both have the same bytes. Demands that `part` lies in
// `from`.
std::string_view Moved(std::string_view part, std::string_view from, std::string_view to) {
  return part.empty() ? std::string_view()
                      : to.substr(static_cast<std::size_t>(part.data() - from.data()), part.size());
}

// What a resource counts for in its response. Never nothing, so that a response in use is never taken for one that is
// not.
std::size_t Share(const Resource& resource) {
  return resource.entry.size() + 1;
}

}  // namespace

bool OutputOrder::operator()(const std::string& a, const std::string& b) const {
  return std::tuple(types::OutputRank(a), std::string_view(a)) < std::tuple(types::OutputRank(b), std::string_view(b));
}

ContentChanges Snapshot::Apply(Delivery delivery, wire::Types& types) {
  ContentChanges changes;
  TypeState& type = types_[delivery.type_url];
  type.version = std::move(delivery.version);
  std::set<std::string, std::less<>> gone(delivery.removed.begin(), delivery.removed.end());
  if (delivery.whole && !type.resources.empty()) {
    std::set<std::string_view> kept;
    for (const Resource& resource : delivery.resources) kept.insert(resource.name);
    for (const auto& [name, resource] : type.resources) {
      if (!kept.contains(name)) gone.insert(name);
    }
  }
  for (const std::string& name : gone) {
    const auto place = type.resources.find(name);
    if (place == type.resources.end()) continue;
    changes.removed.push_back(name);
    Remove(type, place);
  }
  for (Resource& resource : delivery.resources) Put(type, std::move(resource), &changes, types);
  return changes;
}

void Snapshot::Put(TypeState& type, Resource resource, ContentChanges* changes, wire::Types& types) {
  const auto place = type.resources.lower_bound(resource.name);
  if (place == type.resources.end() || place->first != resource.name) {
    changes->added.push_back(resource.name);
    used_[resource.buffer.get()] += Share(resource);
    std::string name = resource.name;
    type.resources.emplace_hint(place, std::move(name), std::move(resource));
    return;
  }
  if (place->second.buffer == resource.buffer) return;  // the second of this name in one response
  if (!SameContent(place->second, resource, types)) changes->changed.push_back(resource.name);
  used_[resource.buffer.get()] += Share(resource);
  const Resource before = std::exchange(place->second, std::move(resource));
  Release(before);
}

void Snapshot::Remove(TypeState& type, Resources::iterator place) {
  const Resource before = std::move(place->second);
  type.resources.erase(place);
  Release(before);
}

// Takes note that a resource no longer lies in its response, and lets the response go when little of it is left.
void Snapshot::Release(const Resource& resource) {
  const auto use = used_.find(resource.buffer.get());
  use->second -= Share(resource);
  const std::size_t size = resource.buffer->size();
  if (use->second == 0) {
    used_.erase(use);
  } else if (size >= kLargeResponse && use->second < size / 4) {
    CopyOut(use->first);
  }
}

void Snapshot::CopyOut(const std::string* buffer) {
  for (auto& [type_url, type] : types_) {
    for (auto& [name, resource] : type.resources) {
      if (resource.buffer.get() == buffer) MoveOut(&resource);
    }
  }
  used_.erase(buffer);
}

// Gives a resource bytes of its own.
void Snapshot::MoveOut(Resource* resource) {
  auto own = std::make_shared<const std::string>(resource->entry);
  const std::string_view from = resource->entry;
  resource->type_url = Moved(resource->type_url, from, *own);
  resource->payload = Moved(resource->payload, from, *own);
  if (resource->message.ok()) resource->message = resource->message->MovedTo(resource->payload);
  resource->entry = *own;
  used_[own.get()] = Share(*resource);
  resource->buffer = std::move(own);
}

const Resource* Snapshot::Find(const std::string& type_url, std::string_view name) const {
  const auto type = types_.find(type_url);
  if (type == types_.end()) return nullptr;
  const auto resource = type->second.resources.find(name);
  return resource == type->second.resources.end() ? nullptr : &resource->second;
}

}  // namespace xdscope::resource
