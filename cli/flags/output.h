// The flags that say how things are printed, and what they come to.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> OutputFlags();

// Reads the flags. `width` is how many columns the terminal has that stdout is, 0 where it is none. Fails with
// INVALID_ARGUMENT, "--FLAG VALUE: what".
absl::StatusOr<OutputOptions> ReadOutputFlags(int width, const config::Surroundings& surroundings);

// The same of --color alone: its row, and whether colour belongs on stdout.
std::span<const FlagRow> ColorFlags();
absl::StatusOr<bool> ReadColorFlag(int width, const config::Surroundings& surroundings);

}  // namespace xdscope::cli
