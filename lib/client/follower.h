// What resources refer to, as wants: which other resources a node needs because of those it has. References are
// counted, so that a want goes when the last resource that had it goes or changes. Knows messages and types; does not
// know who asks, nor what the caller wants besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"
#include "lib/types/known_types.h"

namespace xdscope::client {

// A reference that is not followed.
struct Elsewhere {
  std::string type_url;
  std::string name;   // empty: all of the type
  std::string where;  // "file …", "cluster …"; or why it cannot be asked for

  auto operator<=>(const Elsewhere&) const = default;
};

// How the wants of one type have changed.
struct WantChange {
  std::string type_url;
  std::optional<std::uint32_t> source = {};  // who is asked for them, where a config source names one of several
  std::vector<std::string> added = {};       // names that are wanted from now on, sorted
  std::vector<std::string> removed = {};     // names that no longer are, sorted
  bool everything = false;                   // all of the type is wanted from now on
  bool nothing_but_names = false;            // all of the type no longer is
};

class Follower {
 public:
  // How many references may lead to a resource whose own references are followed: a server that refers to ever new
  // names would be asked for ever.
  static constexpr std::size_t kMaxDepth = 64;

  struct Settings {
    resource::ThisServer this_server;
    types::Api api = types::Api::kV3;  // in which types are asked for, whatever the referring message says
    // Whether a type can be asked for, of this source where one is named.
    std::function<bool(std::string_view type_url, std::optional<std::uint32_t> source)> can_ask;
    // Which of several sources Reference::here means: "ads", "cluster xds". None: there is one alone.
    std::map<std::string, std::uint32_t, std::less<>> sources = {};
  };

  // `types` must outlive it.
  Follower(wire::Types& types, Settings settings);

  // Takes what a resource refers to in place of what an earlier one of this type and name did. One that could not be
  // decoded refers to nothing.
  void Set(const std::string& type_url, const resource::Resource& resource);
  // The resource is gone.
  void Remove(const std::string& type_url, std::string_view name);

  // What has changed since the last call, by type URL.
  std::vector<WantChange> TakeChanges();
  // The references that are not followed, those of resources at kMaxDepth among them.
  std::set<Elsewhere> elsewhere() const;

 private:
  // Who is asked for what: a type URL and a name in normal form; an empty name stands for all of the type.
  struct Target {
    std::string type_url;
    std::optional<std::uint32_t> source;
    std::string name;

    auto operator<=>(const Target&) const = default;
  };
  using Referrer = std::pair<std::string, std::string>;  // type URL and name
  struct Referred {
    std::vector<Target> targets;
    std::vector<Elsewhere> elsewhere;
  };

  // A target, how many resources refer to it, and how many references lead to it.
  struct Wanted {
    std::size_t count = 0;
    std::size_t depth = 0;
  };

  std::size_t DepthOf(const std::string& type_url, const resource::Resource& resource) const;
  std::optional<std::uint32_t> SourceOf(const resource::Reference& reference, const resource::Resource& from) const;
  // Returns the references of a resource of the type `from`.
  Referred ReferencesOf(std::string_view from, const resource::Resource& resource, std::size_t depth);
  void Count(const Referred& referred, std::size_t depth);
  void Discount(const Referred& referred);

  Settings settings_;
  resource::ReferenceFinder references_;
  std::map<Referrer, Referred> by_resource_;
  std::map<Target, Wanted> wanted_;
  std::map<Elsewhere, std::size_t> elsewhere_;
  std::map<Target, bool> before_;  // of targets whose count has changed since TakeChanges(): whether they were wanted
};

}  // namespace xdscope::client
