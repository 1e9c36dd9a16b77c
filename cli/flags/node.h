// Who asks: the node, from --node, the bootstrap and the flags over them. Part of connect.h.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"
#include "lib/config/node.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> NodeFlags();

// Makes the node. `from_bootstrap` are the wire bytes of the bootstrap's node (empty where it has none); --node takes
// its place. A flag that was typed counts, an empty one too. Fails with INVALID_ARGUMENT, "--FLAG VALUE: what" or
// "FILE:LINE: path: what".
absl::StatusOr<config::Node> ReadNodeFlags(const CommandLine& line, std::string_view from_bootstrap,
                                           const config::Profile& profile, const config::Surroundings& surroundings,
                                           wire::Types& types);

}  // namespace xdscope::cli
