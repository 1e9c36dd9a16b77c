// Where in a file a field stands: reads the text once more, so that nobody has to remember positions until there is
// something to say about them. Knows keys and lists, no schema.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/format/read.h"

namespace xdscope::format {

// A field of a file: proto field names from the root of the document, as `path` of a ReadResource with the path inside
// the resource appended: `resources[3].filter_chains[0].filters[1].typed_config.route_config.name`; members of maps as
// `metadata.filter_metadata["a.b"]`. It goes through an Any without a step, or by one that is its type.
struct FieldPath {
  std::size_t document = 0;
  finding::Path path;
};

// Returns for each path, in order, where its last part is written (the key of a member, the value of a list's element),
// else where the nearest thing around it is; line 0 when not even the document is there. `text` need not be
// well-formed: what was read before the error counts. Binary files have no positions. The time grows with the text and
// with the steps of all paths together.
std::vector<finding::Position> Locate(std::string_view text, Format format, std::span<const FieldPath> paths);

// Finds fields below values of JSON: `offset` is where such a value begins, and the path begins there. Reads nothing
// but these values, of which none needs what stands around it; else it is the same as Locate().
struct PathInValue {
  std::size_t offset = 0;
  finding::Path path;
};
std::vector<finding::Position> LocateInJson(std::string_view text, std::span<const PathInValue> paths);

}  // namespace xdscope::format
