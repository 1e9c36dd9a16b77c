// What `help`, `--help` and `--version` print, made from the command table.
#pragma once

#include <string>

#include "cli/command_table.h"
#include "cli/streams.h"

namespace xdscope::cli {

// All commands in a line each, wrapped to `width` columns.
std::string Overview(int width);
// One command: usage, what it does, its flags in groups with their defaults.
std::string HelpOn(const Command& command, int width);

// `xdscope help [COMMAND]`. The exit code.
int RunHelp(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
