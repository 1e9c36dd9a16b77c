// Who asks: the node, from --node, the bootstrap and the flags over them. Part of connect_flags.h.
#pragma once

#include <string_view>

#include "cli/streams.h"
#include "lib/base/status.h"
#include "lib/config/node.h"

namespace xdscope::cli {

// `from_bootstrap` are the wire bytes of the bootstrap's node (empty: none); --node takes its place. INVALID_ARGUMENT,
// "--FLAG VALUE: what" or "FILE:LINE: path: what".
absl::StatusOr<config::Node> ReadNodeFlags(std::string_view from_bootstrap, const config::Profile& profile,
                                           const Streams& streams);

}  // namespace xdscope::cli
