// What a server has to offer, as its streams see it: names and versions, no bodies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::protocol {

// One resource. `version` is the same exactly when the content is (XDS-S045, S046).
struct SnapshotEntry {
  std::string_view name;
  std::string_view version;
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
