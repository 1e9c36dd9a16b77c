// One run of xdscope, from arguments to exit code.
#pragma once

#include <span>
#include <string>

#include "cli/console/streams.h"

namespace xdscope::cli {

// `arguments` without the program's name. May be called many times in one process.
int Run(std::span<const std::string> arguments, Streams& streams);

}  // namespace xdscope::cli
