// Findings of files for people: a line for each, and below it what else is known.
#pragma once

#include <string>

#include "cli/commands/validate/result.h"

namespace xdscope::cli {

// Returns a finding as lines: "PLACE: SEVERITY: MESSAGE [ID]", and indented where it is, the value, the rule, who
// refuses it, what to do. Control characters of names and values are escaped.
std::string FindingText(std::string_view file, const finding::Finding& finding, bool color);

// Returns all of a result. With `summary` its last line counts.
std::string TextReport(const ValidateResult& result, bool color, bool summary);

}  // namespace xdscope::cli
