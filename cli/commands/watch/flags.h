// The flags of `watch`, and what a command line says with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/console/streams.h"

namespace xdscope::cli {

extern const std::string_view kWatchDetails;  // for help

// Returns the rows of the flags that `watch` alone has, for the table of commands.
std::span<const FlagRow> WatchFlags();

// Reads the line, watches, and returns the exit code.
int RunWatchLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
