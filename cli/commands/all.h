// The table of all commands.
#pragma once

#include <span>

#include "cli/args/command.h"

namespace xdscope::cli {

// Returns the commands in the order of help.
std::span<const Command> AllCommands();

}  // namespace xdscope::cli
