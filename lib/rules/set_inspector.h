// Judges resources together: those of one file or response, and those that refer to one another. Knows which file each
// of them is from, by its name; opens no file. [reference/validation.md 2.1 V004 to V007, 2.2 V024, 2.8]
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/encode/visit.h"
#include "lib/finding/sample.h"
#include "lib/resource/reference_rows.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// A resource of a set. Its texts and bytes belong to somebody else and outlive the judging.
struct Member {
  std::size_t file = 0;  // its place among the files of the set
  Subject subject;
  wire::View resource;
};

// What the set is judged by, beside itself.
struct SetOptions {
  std::set<std::string, std::less<>> known_clusters = {};  // of the bootstrap, or said to be there
  std::set<std::string, std::less<>> known_secrets = {};   // static ones of the bootstrap
  // A reference to what the set has not is an error.
  bool strict = false;
};

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
    bool validated = false;  // Envoy itself refuses one that leads nowhere
  };
  // What a file holds, as far as a subscription to it asks: nullptr where it has not got that.
  struct InFile {
    const Member* first = nullptr;
    const Member* second = nullptr;
    const Member* other = nullptr;  // the first one of another type than the first
  };
  // The resources of one type, by name.
  struct Names {
    absl::flat_hash_set<absl::string_view> all;
    std::vector<std::string> sorted;  // the same, once a nearest name was looked for
  };
  // The nearest name is looked for beside this many references that lead nowhere: that takes time in proportion to the
  // names.
  static constexpr std::size_t kMostSearched = 100;

  void Index(std::span<const Member> members);
  void FindUses(const Member& member);
  void AddUse(const Member& member, resource::Reference reference, const encode::Visited& at, std::string_view field);
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
  bool LeadsSomewhere(const resource::Reference& reference) const;
  void CheckReference(const Use& use);
  std::string NearestTo(const resource::Reference& reference);

  wire::Types& types_;
  SetOptions options_;
  resource::RowsByType rows_;
  const SampleOf* findings_ = nullptr;
  std::span<const std::string> files_;
  absl::flat_hash_map<absl::string_view, Names> by_type_;  // by message name
  std::size_t searched_ = 0;
  std::vector<Use> uses_;           // those that are to be judged when all are known
  std::string scoped_routes_from_;  // "file rds.yaml": as Reference::elsewhere has it
};

}  // namespace xdscope::rules
