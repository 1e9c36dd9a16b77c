// The table of the fields that refer to resources, and how one row of it is read. [validation.md 2.8] Knows messages
// and config sources; does not know where in a resource they stand.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  bool source_only = false;               // says where names come from that stand elsewhere; refers to nothing itself
};
std::span<const ReferenceRow> ReferenceRows();

// The names by which resources refer to the server that they came from: its cluster in the bootstrap, its address.
struct ThisServer {
  std::vector<std::string> clusters;
  std::vector<std::string> targets;
  // It speaks REST, and no bootstrap says by which cluster: every REST source is taken for it.
  bool any_rest = false;
};

// Finds the rows of a message's type, searching the table once for each.
class RowsByType {
 public:
  const std::vector<const ReferenceRow*>& Of(const wire::Type& type);

 private:
  absl::flat_hash_map<const wire::Type*, std::vector<const ReferenceRow*>> rows_;
};

// Returns what a message of the type row.message refers to by this row; nothing where its config source is not set.
// `resource_name` is that of the resource in which the message stands.
std::vector<Reference> ReferencesOf(const ReferenceRow& row, const wire::View& view, std::string_view resource_name,
                                    const ThisServer& this_server);

// Tells whether a ConfigSource means the server that the resource came from.
bool LeadsHere(const wire::View& config_source, const ThisServer& this_server);

// Finds the message at a path of fields (of a repeated one the last); nullopt when a part of the path is not set.
std::optional<wire::View> MessageAt(wire::View view, std::string_view path);

}  // namespace xdscope::resource
