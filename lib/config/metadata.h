// A value of the node's metadata, as a flag gives it. Knows google.protobuf.Value, no flag.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/status.h"
#include "lib/wire/type.h"

namespace xdscope::config {

// Encodes a text as a google.protobuf.Value; messages call it `origin`. INVALID_ARGUMENT, "ORIGIN:LINE: what": it
// is not UTF-8.
absl::StatusOr<std::string> EncodeMetadataText(std::string_view text, std::string_view origin, wire::Types& types);

// Encodes what a JSON text says, in the same form. INVALID_ARGUMENT, "ORIGIN:LINE: path: what": it is no JSON by the
// letter, or has a number that no double holds.
absl::StatusOr<std::string> EncodeMetadataJson(std::string_view json, std::string_view origin, wire::Types& types);

}  // namespace xdscope::config
