// What `help`, `--help` and `--version` print, made from a table of commands.
#pragma once

#include <span>
#include <string>

#include "cli/args/command.h"

namespace xdscope::cli {

// Names all commands in a line each, wrapped to `width` columns.
std::string Overview(std::span<const Command> commands, int width);
// Describes one command: its usage, what it does, its flags in groups with their defaults.
std::string HelpOn(const Command& command, int width);

}  // namespace xdscope::cli
