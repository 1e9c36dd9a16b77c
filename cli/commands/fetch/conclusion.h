// What `fetch` says on stderr when it is over, and with which code it leaves.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/fetch/options.h"
#include "cli/console/report.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

// Names what was refused, what is absent, what stands elsewhere, what never answered and what broke. The exit code, by
// cli.md: 3 nothing came, or a stream was lost; 4 out of time; 1 something is missing or was refused; else 0.
int ReportOutcome(const client::Outcome& outcome, const FetchOptions& settings, Report& report);

// "a, b, c": at most ten of the words, then how many there are more.
std::string Listed(const std::vector<std::string>& words);

}  // namespace xdscope::cli
