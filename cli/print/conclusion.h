// What is said on stderr when everything was fetched that there is to fetch, and with which code the run leaves.
#pragma once

#include <string>
#include <vector>

#include "cli/console/report.h"
#include "cli/flags/fetch_options.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

// Returns what the line asks for; the roots where it names nothing.
std::vector<client::Want> WantsOf(const FetchOptions& settings);

// What is known of a server that said nothing, beside the outcome.
struct SilenceFacts {
  std::string server_says = {};   // to a single call; empty: nothing
  std::string unknown_type = {};  // the first silent type, where the schema does not know it: its full name
  std::string nearest_type = {};  // a type that may have been meant
};

// Names what was refused, what is absent, what stands elsewhere, what never answered and what broke. Returns the exit
// code: 3 when nothing came or a stream was lost, 4 out of time, 1 when something is missing or was refused, else 0.
int ReportOutcome(const client::Outcome& outcome, const FetchOptions& settings, const SilenceFacts& facts,
                  Report& report);

// Returns "a, b, c": at most ten of the words, and then how many more there are.
std::string Listed(const std::vector<std::string>& words);

}  // namespace xdscope::cli
