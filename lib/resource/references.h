// What a resource refers to: clusters, route configurations, endpoints, secrets, extension configurations … by name,
// wherever the reference sits, inside `Any` and TypedStruct too. A table "field -> kind" over the schema, no code per
// filter. [validation.md 2.8] Knows messages, not who fetches what.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::resource {

// Where the referred resource is said to come from.
enum class Origin {
  kUnsaid,     // the reference names no config source: clusters; secrets of the bootstrap
  kHere,       // `ads`, `self`, or a gRPC source that is one of ThisServer's
  kElsewhere,  // a file, another server
};

struct Reference {
  std::string type_url;  // of what is referred to, in the API version of the referring message
  std::string name;      // empty: everything of that type (SRDS, VHDS)
  Origin origin = Origin::kUnsaid;
  std::string elsewhere;  // kElsewhere: "file /etc/envoy/sds.yaml", "cluster sds-grpc", "target sds.example.com:443"

  bool operator==(const Reference&) const = default;
  auto operator<=>(const Reference&) const = default;
};

// A row of the table.
struct ReferenceRow {
  std::string_view message;               // full name of the message that refers
  std::string_view name_field;            // text, or a list of texts; empty: refers to everything
  std::string_view target;                // short name of a resource type, or a message name
  std::string_view source_field;          // the ConfigSource, as a path; empty: the reference has none
  bool resource_name_if_unnamed = false;  // an empty name means the name of the resource itself (EDS)
};
std::span<const ReferenceRow> ReferenceRows();

// Names under which resources refer to the server that they came from: its cluster in the bootstrap, its address.
struct ThisServer {
  std::vector<std::string> clusters;
  std::vector<std::string> targets;
};

class ReferenceFinder {
 public:
  explicit ReferenceFinder(wire::Types& types, ThisServer this_server = {});

  // The references of a resource, each once, in the order in which they stand there.
  std::vector<Reference> Find(const wire::View& resource, std::string_view resource_name);

 private:
  struct Search;

  const std::vector<const ReferenceRow*>& RowsOf(const wire::Type& type);
  void Visit(const wire::View& view, Search& search);
  void VisitField(const wire::Present& present, Search& search);
  void VisitMessage(const wire::View& view, Search& search);
  void Apply(const ReferenceRow& row, const wire::View& view, Search& search);
  void SetOrigin(const wire::View& config_source, Reference& reference) const;

  wire::Types& types_;
  ThisServer this_server_;
  absl::flat_hash_map<const wire::Type*, std::vector<const ReferenceRow*>> rows_;
};

}  // namespace xdscope::resource
