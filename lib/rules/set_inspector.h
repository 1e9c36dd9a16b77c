// Judges resources together: those of one file or response, and those that refer to one another. Knows which file each
// of them is from, by its name; opens no file. [reference/validation.md 2.1 V004 to V007, 2.2 V024, 2.4 V083 to V087,
// 2.5 V095, 2.8]
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/encode/visit.h"
#include "lib/finding/sample.h"
#include "lib/resource/reference_rows.h"
#include "lib/rules/set_members.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// What the set is judged by, beside itself.
struct SetOptions {
  std::set<std::string, std::less<>> known_clusters = {};  // of the bootstrap, or said to be there
  // Static ones of the bootstrap, and what each is: the field of its Secret that is set.
  std::map<std::string, std::string, std::less<>> known_secrets = {};
  // The clusters of the bootstrap from which Envoy takes configuration; nullopt: there is no bootstrap.
  std::optional<std::set<std::string, std::less<>>> source_clusters = {};
  // The names of the load assignments of the bootstrap's local_cluster_name.
  std::set<std::string, std::less<>> local_endpoints = {};
  // Tells whether a path that stands in a file leads to nothing; false where nobody can say.
  std::function<bool(std::string_view path, std::string_view file)> is_missing = nullptr;
  // A reference to what the set has not is an error.
  bool strict = false;
  // Where the set is, as messages say it; empty: the set is only a part of what there is, and nothing is said of what
  // is not in it.
  std::string_view where = "in the files";
};

// Adds what an Envoy bootstrap has for the resources of a set.
void AddBootstrap(const wire::View& bootstrap, SetOptions* options);

class SetInspector {
 public:
  // `types` must live longer.
  explicit SetInspector(wire::Types& types, SetOptions options = {}) : types_(types), options_(std::move(options)) {}

  // Where the findings about a file go.
  using SampleOf = std::function<finding::Sample&(std::size_t file)>;

  // Adds what is wrong with the resources as a set. `files` are the names of the files. Takes time in proportion to
  // all.
  void Inspect(std::span<const std::string> files, std::span<const Member> members, const SampleOf& findings);

 private:
  // A reference, and where it stands.
  struct Use {
    const Member* from = nullptr;
    resource::Reference reference;
    finding::Path path;
    bool validated = false;        // Envoy itself refuses one that leads nowhere
    std::string_view secret = {};  // of a secret: the field of it that has to be set; empty: any
    bool in_aggregate = false;     // it is a member of an aggregate cluster
  };
  // What a file holds, as far as a subscription to it asks: nullptr where it has not got that.
  struct InFile {
    const Member* first = nullptr;
    const Member* second = nullptr;
    const Member* other = nullptr;  // the first one of another type than the first
  };
  // The resources of one type, by name.
  struct Names {
    absl::flat_hash_map<absl::string_view, const Member*> all;  // the first one of each name
    std::vector<std::string> sorted;                            // the names, once a nearest one was looked for
  };
  // The nearest name is looked for beside this many references that lead nowhere: that takes time in proportion to the
  // names.
  static constexpr std::size_t kMostSearched = 100;
  // What stands in front of the path in Reference::elsewhere.
  static constexpr std::string_view kFile = "file ";

  void Index(std::span<const Member> members);
  void FindUses(const Member& member);
  void AddUse(const Member& member, resource::Reference reference, const encode::Visited& at, std::string_view field);
  // Finds a resource by the full name of its type and its own name; nullptr: the set has none.
  const Member* Find(std::string_view kind, std::string_view name) const;
  finding::Finding* Add(std::string_view rule, const Member& member, finding::Path path, std::string message);

  // Of one file.
  void CheckTypes(std::span<const Member> members);
  void CheckNames(std::span<const Member> members);
  // Of a file that a config source points to.
  void CheckSubscriptions(std::span<const Member> members);
  void CheckEmpty(const Use& use, std::size_t file);
  void CheckSubscription(const Use& use, const InFile& in_file);
  // Of all.
  void CheckAddresses(std::span<const Member> members);
  void CheckScopes(std::span<const Member> members);
  void CheckFilterKeys(std::span<const Member> members);
  void CheckKeys(const Member& member, const wire::View& routes, const finding::Path& root,
                 const std::set<std::string, std::less<>>& filters);
  void CheckStatNames();
  bool LeadsSomewhere(const resource::Reference& reference, std::string_view secret) const;
  void CheckReference(const Use& use);
  std::string NearestTo(const resource::Reference& reference);
  void CheckStaticSecret(const Use& use);
  const Member* SecretOfOtherKind(const resource::Reference& reference, std::string_view secret) const;
  void CheckKindOfSecret(const Use& use);
  void CheckAggregates();
  void CheckSources(std::span<const Member> members);
  void CheckSource(const encode::Visited& source, const Member& member);
  void CheckPath(const encode::Visited& at, const Member& member);
  void CheckLocalEndpoints();

  wire::Types& types_;
  SetOptions options_;
  resource::RowsByType rows_;
  const SampleOf* findings_ = nullptr;
  std::span<const std::string> files_;
  absl::flat_hash_map<absl::string_view, Names> by_type_;  // by message name
  std::size_t searched_ = 0;
  std::vector<Use> uses_;                                           // those that are to be judged when all are known
  std::map<std::string_view, std::vector<const Use*>> members_of_;  // of aggregate clusters, by their names
  std::string scoped_routes_from_;                                  // "file rds.yaml": as Reference::elsewhere has it
};

}  // namespace xdscope::rules
