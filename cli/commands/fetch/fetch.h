// `xdscope fetch`: asks, waits until everything asked for is there or absent, prints, leaves.
#pragma once

#include "cli/console/streams.h"
#include "cli/flags/fetch_options.h"
#include "cli/flags/schema.h"

namespace xdscope::cli {

// Runs to the end and returns the exit code. What went wrong is on streams.err.
int RunFetch(const FetchOptions& options, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
