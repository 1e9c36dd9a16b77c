// Findings of files for the programs that show them beside the files: code hosts, editors, test reports.
#pragma once

#include <string>

#include "cli/commands/validate/result.h"

namespace xdscope::cli {

// SARIF 2.1.0: one run, with a row for each rule that was broken.
std::string SarifReport(const ValidateResult& result);

// The XML of JUnit, as Jenkins and GitLab read it: a suite for each file, a case for each resource, and one for the
// file itself. Errors are failures; the rest stands in system-out. A resource that could not be read fails, or was
// skipped where nothing is said about it.
std::string JunitReport(const ValidateResult& result);

// Workflow commands of GitHub Actions, which become annotations, and the line that counts.
std::string GithubReport(const ValidateResult& result);

// The Code Quality report of GitLab.
std::string GitlabReport(const ValidateResult& result);

}  // namespace xdscope::cli
