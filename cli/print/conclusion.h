// What `fetch` says on stderr when it is over, and with which code it leaves.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/fetch/options.h"
#include "cli/console/report.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

// Names what was refused, what is absent, what stands elsewhere, what never answered and what broke. Returns the exit
// code: 3 when nothing came or a stream was lost, 4 out of time, 1 when something is missing or was refused, else 0.
int ReportOutcome(const client::Outcome& outcome, const FetchOptions& settings, Report& report);

// Returns "a, b, c": at most ten of the words, and then how many more there are.
std::string Listed(const std::vector<std::string>& words);

}  // namespace xdscope::cli
