// Who we say we are: the Node message that every request opens with, from a file, a bootstrap, or a few flags. Wire
// bytes in and out; the form is that of envoy.config.core.v3.Node, which v2 reads the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/config/document.h"
#include "lib/config/profile.h"
#include "lib/wire/type.h"

namespace xdscope::config {

inline constexpr std::string_view kDefaultNodeId = "xdscope";

struct Locality {
  std::string region;
  std::string zone;
  std::string sub_zone;
};

// What is said beside a whole node, and over it.
struct NodeOverrides {
  std::optional<std::string> id;
  std::optional<std::string> cluster;
  std::optional<Locality> locality;
  // Keys and values (google.protobuf.Value on the wire, see metadata.h), each over the node's own of that key.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> client_features;  // added
};

struct Node {
  std::string bytes;
  std::string id;
  bool id_is_default = false;
  std::string note = {};  // "FILE: what" where it is not what one would expect; empty: it is
};

// Makes the node of `base` (wire bytes; empty: none): puts the overrides over it, adds the profile's features, and
// names us with our version as the user agent where the base names none. Without any id it takes kDefaultNodeId. Takes
// linear time, however many members and features there are.
Node MakeNode(std::string_view base, const NodeOverrides& overrides, const Profile& profile, std::string_view version);

// Encodes the node that a document holds: a Node itself, the `node` of an Envoy or gRPC bootstrap, or that of the
// bootstrap in an Envoy /config_dump. Returns nothing for a bootstrap without a node. Refuses members that Node does
// not have only in a Node that stands alone. INVALID_ARGUMENT, "FILE:LINE: path: what": the document is none of these,
// or the Node is bad.
absl::StatusOr<std::string> EncodeNode(const Document& document, wire::Types& types);

// Takes REGION[/ZONE[/SUBZONE]]. INVALID_ARGUMENT: no region, or more than three parts.
absl::StatusOr<Locality> ParseLocality(std::string_view text);

}  // namespace xdscope::config
