#include "lib/resource/snapshot.h"

#include <tuple>

#include "lib/types/known_types.h"

namespace xdscope::resource {

bool OutputOrder::operator()(const std::string& a, const std::string& b) const {
  return std::tuple(types::OutputRank(a), std::string_view(a)) < std::tuple(types::OutputRank(b), std::string_view(b));
}

void Snapshot::Take(const std::string& type_url, std::string_view version, std::vector<Resource> resources,
                    bool whole) {
  TypeState& type = types_[type_url];
  type.version = version;
  if (whole) type.resources.clear();
  for (Resource& resource : resources) {
    auto place = type.resources.lower_bound(resource.name);
    if (place == type.resources.end() || place->first != resource.name) {
      std::string name = resource.name;
      type.resources.emplace_hint(place, std::move(name), std::move(resource));
    } else if (place->second.buffer != resource.buffer) {  // not of this very response
      place->second = std::move(resource);
    }
  }
}

void Snapshot::Remove(const std::string& type_url, std::string_view name) {
  const auto type = types_.find(type_url);
  if (type == types_.end()) return;
  const auto resource = type->second.resources.find(name);
  if (resource != type->second.resources.end()) type->second.resources.erase(resource);
}

const Resource* Snapshot::Find(const std::string& type_url, std::string_view name) const {
  const auto type = types_.find(type_url);
  if (type == types_.end()) return nullptr;
  const auto resource = type->second.resources.find(name);
  return resource == type->second.resources.end() ? nullptr : &resource->second;
}

}  // namespace xdscope::resource
