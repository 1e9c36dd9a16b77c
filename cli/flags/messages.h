// -v and -q: how much is said on stderr. Every command takes them.
#pragma once

#include <span>

#include "cli/args/command.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> MessageFlags();

// These return what the flags say: -q, and how often -v was given.
bool IsQuiet();
int Verbosity();

}  // namespace xdscope::cli
