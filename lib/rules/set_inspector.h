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
  // What is said of one; empty: nothing, because the set is only a part of what there is.
  std::string_view nowhere = "is in none of the files";
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
  using MembersByName = std::map<std::string, std::vector<const Member*>, std::less<>>;

  void Index(std::span<const Member> members);
  void FindUses(const Member& member);
  finding::Finding* Add(std::string_view rule, const Member& member, finding::Path path, std::string message);

  // Of one file.
  void CheckTypes(std::span<const Member> members);
  void CheckNames(std::span<const Member> members);
  // Of a file that a config source points to.
  void CheckSubscriptions(std::span<const Member> members);
  void CheckEmpty(const Use& use, std::size_t file);
  void CheckSubscription(const Use& use, const std::vector<const Member*>& in_file);
  // Of all.
  void CheckAddresses(std::span<const Member> members);
  void CheckScopes(std::span<const Member> members);
  void CheckFilterKeys(std::span<const Member> members);
  void CheckKeys(const Member& member, const wire::View& routes, const finding::Path& root,
                 const std::set<std::string, std::less<>>& filters);
  void CheckReferences();
  void CheckReference(const Use& use);

  wire::Types& types_;
  SetOptions options_;
  resource::RowsByType rows_;
  const SampleOf* findings_ = nullptr;
  std::span<const std::string> files_;
  std::map<std::string, MembersByName, std::less<>> by_type_;  // by message name
  std::vector<Use> uses_;
  std::string scoped_routes_from_;  // "file rds.yaml": as Reference::elsewhere has it
};

}  // namespace xdscope::rules
