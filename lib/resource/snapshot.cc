#include "lib/resource/snapshot.h"

#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "lib/types/known_types.h"

namespace xdscope::resource {

bool OutputOrder::operator()(const std::string& a, const std::string& b) const {
  return std::tuple(types::OutputRank(a), std::string_view(a)) < std::tuple(types::OutputRank(b), std::string_view(b));
}

void Snapshot::Take(const std::string& type_url, std::string_view version, std::vector<Resource> resources, bool whole) {
  TypeState& type = types_[type_url];
  type.version = version;
  if (whole) type.resources.clear();
  absl::flat_hash_set<std::string> taken;
  for (Resource& resource : resources) {
    std::string name = resource.name;
    if (taken.insert(name).second) type.resources.insert_or_assign(std::move(name), std::move(resource));
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
