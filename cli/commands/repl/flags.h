// The flags of `repl`, and what a command line says with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/console/streams.h"

namespace xdscope::cli {

extern const std::string_view kReplDetails;  // for help

// Returns the rows of the flags that `repl` alone has, for the table of commands.
std::span<const FlagRow> ReplFlags();

// Reads the line, holds the conversation and returns the exit code.
int RunReplLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
