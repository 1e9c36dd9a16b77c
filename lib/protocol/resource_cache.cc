#include "lib/protocol/resource_cache.h"

#include <algorithm>

namespace xdscope::protocol {

std::size_t TypeSnapshot::PlaceOf(std::string_view name) const {
  const auto before = [](const SnapshotEntry& entry, std::string_view other) { return entry.name < other; };
  return static_cast<std::size_t>(std::lower_bound(resources.begin(), resources.end(), name, before) -
                                  resources.begin());
}

const SnapshotEntry* TypeSnapshot::Find(std::string_view name) const {
  const std::size_t place = PlaceOf(name);
  return place == resources.size() || resources[place].name != name ? nullptr : &resources[place];
}

void TypeSnapshot::Add(const SnapshotEntry& entry) {
  if (entry.ttl.count() > 0) by_ttl[entry.ttl].push_back(static_cast<std::uint32_t>(resources.size()));
  resources.push_back(entry);
}

}  // namespace xdscope::protocol
