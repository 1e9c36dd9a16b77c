// The flags that say how things are printed, and what they come to.
#pragma once

#include <span>

#include "cli/command_table.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "lib/base/status.h"

namespace xdscope::cli {

std::span<const FlagRow> OutputFlags();

// INVALID_ARGUMENT, "--FLAG VALUE: what".
absl::StatusOr<OutputOptions> ReadOutputFlags(const Streams& streams);

// Whether colour belongs on `output`: "always", "never", or by what it is, NO_COLOR and TERM ("auto").
bool WantsColor(std::string_view when, const Output& output, const Streams& streams);

}  // namespace xdscope::cli
