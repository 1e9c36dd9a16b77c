// A run of `validate`: reads the TARGETs, judges them, and prints what was found in as many forms as were asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/validate/result.h"
#include "cli/console/streams.h"
#include "cli/flags/options.h"
#include "cli/flags/schema.h"
#include "cli/print/selection.h"
#include "lib/finding/finding.h"

namespace xdscope::cli {

enum class ReportForm : std::uint8_t { kText, kJson, kNdjson, kSarif, kJunit, kGithub, kGitlab };

// A form in which the result is printed, and where.
struct ReportOutput {
  ReportForm form = ReportForm::kText;
  std::string path;  // empty: stdout
};

struct ValidateOptions : MessageOptions {
  std::vector<std::string> targets;
  bool watch = false;  // again and again, see watch_files.h
  // The control plane that is judged in place of files, see live.h; its notes are for stderr.
  std::optional<ConnectOptions> live;
  std::vector<std::string> notes;
  std::string bare_type;  // of resources without "@type"; empty: those are findings
  std::string root;       // the folder in which files are that a bootstrap names; empty: this one
  rules::SetOptions set;  // --known-cluster, --strict
  std::vector<ReportOutput> outputs;
  Selection selection;
  finding::Severity fail_on = finding::Severity::kError;
  bool color = false;
  std::string api;  // what the types are called: "Envoy 1.40.0"
};

// What was found, all of it, and whether each TARGET could be read.
struct JudgedTargets {
  ValidateResult result;
  bool readable = true;
};

// Reads the TARGETs, and what they name, and judges them.
JudgedTargets JudgeTargets(const ValidateOptions& options, LoadedTypes& types, Streams& streams);

// Returns what counts of a result as text without colours.
std::string FindingsText(const ValidateResult& result, const ValidateOptions& options);

// Prints what counts of a judgement in each form and returns the exit code, as RunValidate() does.
int Conclude(const JudgedTargets& judged, const ValidateOptions& options, Streams& streams);

// Returns the exit code: 0 nothing at or above `fail_on`, 1 something, 3 a TARGET could not be read, or a report not be
// written.
int RunValidate(const ValidateOptions& options, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
