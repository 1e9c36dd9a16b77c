// One run of xdscope, from arguments to exit code.
#pragma once

#include <span>
#include <string>

#include "cli/streams.h"

namespace xdscope::cli {

// `arguments` without the program's name. Flags have their defaults again afterwards, so it may be called many times.
int Run(std::span<const std::string> arguments, Streams& streams);

}  // namespace xdscope::cli
