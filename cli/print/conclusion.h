// What is said on stderr when everything was fetched that there is to fetch, and with which code the run leaves.
#pragma once

#include <string>
#include <vector>

#include "cli/console/report.h"
#include "cli/flags/options.h"
#include "lib/base/clock.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

// What was asked for, as far as the conclusion needs it.
struct Inquiry {
  const ConnectOptions& connect;
  base::Duration wait;          // FetchSettings::wait
  bool names_asked = false;     // names were typed
  bool fail_on_absent = false;  // names that were only referred to count too
  bool says_findings = true;    // else somebody else says them
};

// Names what was refused, what is absent, what stands elsewhere, what never answered and what broke. Returns the exit
// code: 3 when nothing came or a stream was lost, 4 out of time, 1 when something is missing or was refused, else 0.
int ReportOutcome(const client::Outcome& outcome, const Inquiry& inquiry, Report& report);

// Returns "a, b, c": at most ten of the words, and then how many more there are.
std::string Listed(const std::vector<std::string>& words);

}  // namespace xdscope::cli
