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

// Adds the names of all that is held and did not come. Where as many came as are held there is none, and nobody looks.
void AddMissing(const TypeState& type, const absl::flat_hash_set<std::string_view>& came,
                const absl::flat_hash_set<const Resource*>& same, std::set<std::string, std::less<>>* gone) {
  std::size_t kept = same.size();
  for (const std::string_view name : came) {
    const Resource* held = type.Find(name);
    if (held != nullptr && !same.contains(held)) ++kept;
  }
  if (kept == type.resources.size()) return;
  for (const auto& [name, resource] : type.resources) {
    if (!same.contains(&resource) && !came.contains(name)) gone->insert(name);
  }
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

const Resource* TypeState::Find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

ContentChanges Snapshot::Apply(Delivery delivery, wire::Types& types, const OnChange& on_change) {
  ContentChanges changes;
  TypeState& type = types_[delivery.type_url];
  type.version = std::move(delivery.version);
  absl::flat_hash_set<std::string_view> came;
  came.reserve(delivery.resources.size());
  for (const Resource& resource : delivery.resources) came.insert(resource.name);
  absl::flat_hash_set<const Resource*> same(delivery.same.begin(), delivery.same.end());
  std::set<std::string, std::less<>> gone(delivery.removed.begin(), delivery.removed.end());
  if (delivery.whole) AddMissing(type, came, same, &gone);
  std::vector<Resource> back;  // removed and delivered at once
  for (const std::string& name : gone) {
    const auto place = type.by_name.find(name);
    if (place == type.by_name.end()) continue;
    changes.removed.push_back(name);
    if (same.erase(place->second) > 0) back.push_back(*place->second);
    Remove(type, place->second, on_change);
  }
  std::vector<const std::string*> buffers;  // what came lies in
  for (Resource& resource : delivery.resources) {
    const std::string* const buffer = resource.buffer.get();
    if (buffers.empty() || buffers.back() != buffer) buffers.push_back(buffer);
    const bool is_first = came.erase(resource.name) > 0;
    if (is_first && !same.contains(type.Find(resource.name))) {
      Put(type, std::move(resource), &changes, types, on_change);
    }
  }
  for (Resource& resource : back) Put(type, std::move(resource), &changes, types, on_change);
  for (const std::string* buffer : buffers) LetGo(buffer);
  if (changes.removed.empty()) type.last_same = std::move(delivery.same);
  return changes;
}

void Snapshot::Remove(TypeState& type, Resource* place, const OnChange& on_change) {
  if (on_change) on_change(place, nullptr);
  Release(place);
  type.last_same.clear();
  type.by_name.erase(place->name);
  type.resources.erase(place->name);
}

void Snapshot::Put(TypeState& type, Resource resource, ContentChanges* changes, wire::Types& types,
                   const OnChange& on_change) {
  const auto found = type.by_name.find(resource.name);
  if (found == type.by_name.end()) {
    changes->added.push_back(resource.name);
    if (on_change) on_change(nullptr, &resource);
    std::string name = resource.name;
    const auto place = type.resources.emplace(std::move(name), std::move(resource)).first;
    type.by_name.emplace(place->first, &place->second);
    return Hold(&place->second);
  }
  Resource* const place = found->second;
  if (!SameContent(*place, resource, types)) {
    changes->changed.push_back(resource.name);
    if (on_change) on_change(place, &resource);
  }
  Release(place);
  *place = std::move(resource);
  Hold(place);
}

// Takes note that a resource lies in its response.
void Snapshot::Hold(Resource* place) {
  Use& use = used_[place->buffer.get()];
  use.bytes += Share(*place);
  if (IsLarge(*place->buffer)) use.resources.insert(place);
}

// Takes note that a resource will no longer lie in its response.
void Snapshot::Release(Resource* place) {
  const auto use = used_.find(place->buffer.get());
  use->second.bytes -= Share(*place);
  use->second.resources.erase(place);
  if (use->second.bytes == 0) {
    used_.erase(use);
  } else {
    LetGo(use->first);
  }
}

// Lets a large response go where little of it is in use: gives its resources bytes of their own.
void Snapshot::LetGo(const std::string* buffer) {
  const auto use = used_.find(buffer);
  if (use == used_.end() || !IsLarge(*buffer) || use->second.bytes >= buffer->size() / 4) return;
  const auto left = used_.extract(use);
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

const TypeState* Snapshot::FindType(const std::string& type_url) const {
  const auto type = types_.find(type_url);
  return type == types_.end() ? nullptr : &type->second;
}

const Resource* Snapshot::Find(const std::string& type_url, std::string_view name) const {
  const TypeState* type = FindType(type_url);
  return type == nullptr ? nullptr : type->Find(name);
}

}  // namespace xdscope::resource
