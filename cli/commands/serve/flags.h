// The flags of `serve`, and what a command line says with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/commands/serve/serve.h"
#include "cli/console/streams.h"
#include "lib/base/status.h"

namespace xdscope::cli {

extern const std::string_view kServeDetails;  // for help

// Returns the rows of the flags that `serve` alone has, for the table of commands.
std::span<const FlagRow> ServeFlags();

// Reads the line, serves and returns the exit code.
int RunServeLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
