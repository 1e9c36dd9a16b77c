// Which resources of one type a client wants: nothing, everything, some names, or everything and some names besides. A
// value; how it is said to a server (an empty list, '*', a difference) is the subscription's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"
#include "lib/base/status.h"

namespace xdscope::protocol {

class Interest {
 public:
  // Sorted, each once, in normal form.
  using NameSet = absl::btree_set<std::string>;

  // Nothing.
  Interest() = default;
  static Interest Nothing() { return {}; }
  static Interest Everything();
  // The names in normal form; empty ones are left out. "*" among them is "everything" and will be said by that word,
  // whatever the session's own way is. Demands UTF-8, as every name on the wire.
  static Interest Names(std::vector<std::string> names);
  // Everything, and these names even where everything would not hold them.
  static Interest EverythingAnd(std::vector<std::string> names);

  bool is_nothing() const { return !everything_ && names_.empty(); }
  bool everything() const { return everything_; }
  // "Everything" was asked for as "*".
  bool starred() const { return starred_; }
  // The names asked for one by one; never "*".
  const NameSet& names() const { return names_; }
  // Whether `name` (in normal form) is one of names().
  bool Has(std::string_view name) const { return names_.contains(base::ToAbsl(name)); }

  // One name more or less, in normal form and not "*". Returns whether that was a change.
  bool Add(std::string_view name) { return names_.emplace(name).second; }
  bool Remove(std::string_view name) { return names_.erase(base::ToAbsl(name)) > 0; }
  void SetEverything(bool everything, bool starred) {
    everything_ = everything;
    starred_ = everything && starred;
  }

  friend bool operator==(const Interest&, const Interest&) = default;

 private:
  bool everything_ = false;
  bool starred_ = false;
  NameSet names_;
};

// What a client wants from now on besides, and what it no longer wants. Its cost is that of what changes, however much
// is wanted: references come name by name. "Everything" in `remove` takes back everything, not the names besides.
struct InterestChange {
  Interest add;
  Interest remove = {};

  bool empty() const { return add.is_nothing() && remove.is_nothing(); }
  // Takes away from the interest what is removed, then adds what is added.
  void ApplyTo(Interest* interest) const;
};

// The change that leads from one interest to another.
InterestChange ChangeBetween(const Interest& from, const Interest& to);

}  // namespace xdscope::protocol
