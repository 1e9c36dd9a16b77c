// What a run of `validate` found: the value that every form of its output prints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/print/findings.h"
#include "lib/client/file_judge.h"
#include "lib/finding/finding.h"

namespace xdscope::cli {

// How many there are of what; those findings too of which a file had too many to keep.
struct Tally {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
  std::size_t files = 0;
  std::size_t resources = 0;  // skipped ones too
  std::size_t skipped = 0;    // that could not be read, so that their spelling alone was judged
};

struct ValidateResult {
  std::vector<client::JudgedFile> files;  // in the order of the TARGETs
  std::string api;                        // by which API it was judged: "Envoy 1.40.0"
  std::string_view unit = "file";         // what the summary calls one of the files
};

// Returns how many resources of a file could not be read.
std::size_t SkippedIn(const client::JudgedFile& file);

Tally TallyOf(const ValidateResult& result);

// Returns "3 errors, 1 warning in 2 files (41 resources, 0 skipped); API Envoy 1.40.0".
std::string SummaryLine(const ValidateResult& result);

}  // namespace xdscope::cli
