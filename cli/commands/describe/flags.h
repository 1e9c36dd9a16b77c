// The flags of `describe` and `types`, and what a command line says with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/console/streams.h"

namespace xdscope::cli {

extern const std::string_view kDescribeDetails;  // for help
extern const std::string_view kTypesDetails;

// Returns the rows of the flags that these commands have, for the table of commands.
std::span<const FlagRow> DescribeFlags();
std::span<const FlagRow> TypesFlags();

// Each reads the line, prints, and returns the exit code.
int RunDescribeLine(const CommandLine& line, Streams& streams);
int RunTypesLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
