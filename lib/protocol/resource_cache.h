// What a server has to offer, as its streams see it: names and versions, no bodies.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::protocol {

// One resource. `version` is the same exactly when the content is (XDS-S045, S046).
struct SnapshotEntry {
  std::string_view name;
  std::string_view version;
  std::chrono::nanoseconds ttl{0};  // a part of the content; 0: it has none
};

// All resources of one type at one moment, and the version of that state: the same exactly when all resources are
// (XDS-S029, S030), never empty (XDS-S023). Sorted by name, each name once and not empty, xdstp names in normal form.
//
// A snapshot never changes once a session has seen it: a change is a new snapshot. What the views look into must live
// as long as it (a class derived from it owns them, or the shared_ptr points into something larger); sessions keep a
// few of them alive, so it should not own the bodies.
struct TypeSnapshot {
  std::string version;
  std::vector<SnapshotEntry> resources;
  // Places of the resources with a time to live, by that; ascending.
  std::map<std::chrono::nanoseconds, std::vector<std::uint32_t>> by_ttl;

  // Returns the place of a name, or of where it would stand.
  std::size_t PlaceOf(std::string_view name) const;
  // Finds a resource by name; nullptr: there is none.
  const SnapshotEntry* Find(std::string_view name) const;
  // Returns the place of one of `resources`.
  std::uint32_t IndexOf(const SnapshotEntry& entry) const {
    return static_cast<std::uint32_t>(&entry - resources.data());
  }
  // Adds a resource, which stands behind all that are there.
  void Add(const SnapshotEntry& entry);
};

class ResourceCache {
 public:
  virtual ~ResourceCache() = default;

  // Returns what there is of a type now. nullptr: nothing is known of the type, which is answered like an empty one.
  // Has to be cheap: it is called for each type of each stream. The same state should be the same object.
  virtual std::shared_ptr<const TypeSnapshot> Find(std::string_view type_url) const = 0;

  // Returns the name of the resource that goes by an alias (VHDS: "route config/host"); empty: none does. Asked only
  // about names that are not held, and only of types that are asked for on demand.
  virtual std::string_view Canonical(std::string_view /*type_url*/, std::string_view /*alias*/) const { return {}; }
};

}  // namespace xdscope::protocol
