// `xdscope help [COMMAND]`: what a command does and which flags it takes.
#pragma once

#include "cli/args/command_line.h"
#include "cli/console/streams.h"

namespace xdscope::cli {

// Prints on stdout and returns the exit code.
int RunHelp(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
