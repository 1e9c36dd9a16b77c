// One run of xdscope, from arguments to exit code.
#pragma once

#include <span>
#include <string>

#include "cli/console/streams.h"

namespace xdscope::cli {

// Does what the arguments (without the program's name) say and returns the exit code. May be called many times in one
// process.
int Run(std::span<const std::string> arguments, Streams& streams);

}  // namespace xdscope::cli
