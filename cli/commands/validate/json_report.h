// Findings of files for programs, as JSON: one document, or one line for each finding.
#pragma once

#include <string>

#include "cli/commands/validate/result.h"

namespace xdscope::cli {

// Returns {"version", "api", "files", "findings", "summary"}, indented, with members and findings in a fixed order.
std::string JsonReport(const ValidateResult& result);

// Returns an object for each finding, as in JsonReport(), and as the last one {"version", "api", "summary"}; a line
// each.
std::string NdjsonReport(const ValidateResult& result);

}  // namespace xdscope::cli
