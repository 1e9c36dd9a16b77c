// The flags of `validate`, and what a command line says with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/console/streams.h"

namespace xdscope::cli {

extern const std::string_view kValidateDetails;  // for help

// Return the rows of the flags that `validate` alone has, for the table of commands.
std::span<const FlagRow> ValidateFlags();
std::span<const FlagRow> ValidateOutputFlags();
// Those of ProtocolFlags() that it takes for a control plane.
std::span<const FlagRow> ValidateAskingFlags();

// Reads the line, judges, and returns the exit code.
int RunValidateLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
