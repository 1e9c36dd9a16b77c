// The resources that were received, by type and name. Knows names, versions and where the bytes are; not how they came,
// nor what is good about them. Applying what came says what changed of the content, resource by resource.
//
// A resource lies in the bytes of the response that brought it, because copying 20,000 of them would cost more than
// reading them. So one small resource could keep a response of many megabytes alive after the others in it were
// replaced: once less than a quarter of a large response is still in use, what is left of it is copied out and the
// response let go. Each byte is copied at most once for three that went away, and a large response knows which
// resources lie in it, so that none is looked for: the cost stays linear.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "lib/wire/message.h"

namespace xdscope::resource {

// A resource in the bytes of the response that brought it: type_url and payload lie in `entry`, which lies in `buffer`.
struct Resource {
  std::string name;      // canonical; of one that nothing names: "#1", "#2" …
  bool unnamed = false;  // nothing names it, `name` is made up
  std::string version;
  std::string_view type_url;              // of the payload
  std::string_view payload;               // the message's bytes
  std::string_view entry;                 // as it stands in the response: an Any (SotW) or a Resource (delta)
  bool wrapped = false;                   // it came in a Resource
  std::vector<std::string> aliases = {};  // other names it goes by (VHDS)
  std::optional<std::chrono::nanoseconds> ttl = {};
  absl::StatusOr<wire::Message> message;      // decoded once; NOT_FOUND: a type that the schema does not know
  std::shared_ptr<const std::string> buffer;  // what all of the above looks into
  std::uint32_t source = 0;                   // which source it came from where several are asked as one
};

// Tells whether two resources say the same. Compares bytes that nobody can decode as they are.
bool SameContent(const Resource& a, const Resource& b, wire::Types& types);

// What came of one type at one moment.
struct Delivery {
  std::string type_url;
  std::string version;
  bool whole = false;                     // the resources are all there is of the type
  std::vector<Resource> resources;        // in the order in which they came
  std::vector<std::string> removed = {};  // names that are gone
  // Those that came again byte for byte as the snapshot has them, and stand there. The snapshot must not have changed
  // since they were found.
  std::vector<const Resource*> same = {};
};

// What a delivery changed of the content; names in the order of the delivery, removed ones sorted.
struct ContentChanges {
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> removed;
};

// All resources of one type.
struct TypeState {
  std::string version;  // of the last response
  std::map<std::string, Resource, std::less<>> resources;
  absl::flat_hash_map<std::string_view, Resource*> by_name = {};  // the same, to be found in no order
  // Those that the last delivery called the same, in its order. What comes again nearly always comes in the order of
  // the last time, and then nothing need be looked for.
  std::vector<const Resource*> last_same = {};

  const Resource* Find(std::string_view name) const;
};

// Types in the order in which they are printed (see types::OutputRank), those without a rank by their URL.
struct OutputOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;  // it knows where its own resources are
  Snapshot& operator=(const Snapshot&) = delete;
  Snapshot(Snapshot&&) = default;
  Snapshot& operator=(Snapshot&&) = default;

  // Responses smaller than this are not worth copying out of.
  static constexpr std::size_t kLargeResponse = std::size_t{64} << 10;

  // Takes what came. Of two resources with one name in one delivery the first is kept; a name that is already there
  // gets the new content; what came again as it is held changes nothing. A resource whose message says the same as
  // before, in whatever bytes, has not changed. `types` is needed to compare. `on_change` is told of each change while
  // both sides of it are there; the old one goes then.
  using OnChange = std::function<void(const Resource* before, const Resource* after)>;  // nullptr: it is not there
  ContentChanges Apply(Delivery delivery, wire::Types& types, const OnChange& on_change = {});

  // nullptr: there is none.
  const TypeState* FindType(const std::string& type_url) const;
  const Resource* Find(const std::string& type_url, std::string_view name) const;
  const std::map<std::string, TypeState, OutputOrder>& types() const { return types_; }
  bool empty() const { return types_.empty(); }

 private:
  void Remove(TypeState& type, Resource* place, const OnChange& on_change);
  void Put(TypeState& type, Resource resource, ContentChanges* changes, wire::Types& types, const OnChange& on_change);
  void Hold(Resource* place);
  void Release(Resource* place);
  void LetGo(const std::string* buffer);
  void MoveOut(Resource* resource);

  // What of a response is in use.
  struct Use {
    std::size_t bytes = 0;
    absl::flat_hash_set<Resource*> resources = {};  // in types_; of a large response only
  };

  std::map<std::string, TypeState, OutputOrder> types_;
  absl::flat_hash_map<const std::string*, Use> used_;
};

}  // namespace xdscope::resource
