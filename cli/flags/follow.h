// The flag of commands that can ask for what resources refer to, beside what was named.
#pragma once

#include <span>

#include "cli/args/command_line.h"

namespace xdscope::cli {

// Returns the row of --follow, for the table of commands.
std::span<const FlagRow> FollowFlags();

// Whether references are followed: as the flag says; without it where no TYPE was typed.
bool ReadFollowFlag(const CommandLine& line, bool has_types);

}  // namespace xdscope::cli
