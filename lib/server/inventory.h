// All that a server holds at one moment, by type: the cache that its streams are answered from, and the bodies of
// their responses, built once when first sent and shared by all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/contents.h"
#include "lib/files/file_resource.h"
#include "lib/protocol/resource_cache.h"
#include "lib/protocol/server_session.h"
#include "lib/transport/server.h"

namespace xdscope::server {

using files::FileResource;
using files::ResourcePtr;

// What became of one type. Names are sorted.
struct TypeChange {
  std::string type_url;
  std::string version;    // of the type, now
  std::size_t total = 0;  // resources of the type, now
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> removed;
};

class Inventory final : public protocol::ResourceCache {
 public:
  struct SetResult {
    std::vector<TypeChange> changes;  // in the order of output; types that did not change are not there
    // "cds web: in b.yaml:3 and in a.yaml:7; the second counts": of two resources of one name the first one counts.
    std::vector<std::string> duplicates;
  };

  // Holds these from now on, and nothing else.
  SetResult Set(const std::vector<ResourcePtr>& resources);

  // Returns the clusters that would go with Set(next) while what may point to them changes too. They have to be held a
  // moment longer, or traffic is lost until the new routes are in force (make before break, XDS-S080).
  std::vector<ResourcePtr> Departing(const std::vector<ResourcePtr>& next) const;

  // What a session sees of it.
  std::shared_ptr<const protocol::TypeSnapshot> Find(std::string_view type_url) const override;
  std::string_view Canonical(std::string_view type_url, std::string_view alias) const override;

  // Puts the message together that an answer describes. Demands an answer of the current state, made since the last
  // Set().
  std::vector<transport::Chunk> Compose(protocol::Variant variant, const protocol::ServerResponse& answer);

  // Returns the version of exactly the resources that an answer has, the same exactly when they are: other resources of
  // the type do not count. Demands an answer as Compose() does.
  static std::string VersionOf(const protocol::ServerResponse& answer);

  // Finds a resource by type and name; nullptr when there is none.
  const FileResource* Find(std::string_view type_url, std::string_view name) const;
  // Returns the types that have resources: URL and how many, in the order of output.
  std::vector<std::pair<std::string, std::size_t>> Types() const;

 private:
  // How resources are said: plain, in a wrapper where they have a time to live, in delta, and in delta as a heartbeat,
  // in which those without a time to live are left out.
  enum class Form : std::uint8_t { kSotw, kWrapped, kDelta, kHeartbeat };
  // The entries of all resources of a type in one form, one after another.
  struct Body {
    transport::Bytes bytes;  // nullptr until first sent
    std::vector<std::size_t> ends;
  };
  // What is held of one type.
  struct TypeEntry : files::TypeContents {
    std::shared_ptr<const protocol::TypeSnapshot> snapshot;  // of the resources
    std::array<Body, 4> bodies;                              // by form
  };
  using Entries = std::map<std::string, TypeEntry, std::less<>>;  // by message name

  static Entries Sort(const std::vector<ResourcePtr>& resources, std::vector<std::string>* duplicates);
  static void Label(TypeEntry* entry);
  const TypeEntry* EntryOf(std::string_view type_url) const;
  static Form FormOf(protocol::Variant variant, const TypeEntry& entry, const protocol::ServerResponse& answer);
  static std::string Encode(Form form, const FileResource& resource);
  static const Body& BodyOf(TypeEntry& entry, Form form);

  Entries entries_;
};

}  // namespace xdscope::server
