#include "cli/commands/validate/validate.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/validate/ci_reports.h"
#include "cli/commands/validate/json_report.h"
#include "cli/commands/validate/result.h"
#include "cli/commands/validate/targets.h"
#include "cli/commands/validate/text_report.h"
#include "cli/console/report.h"
#include "lib/base/status.h"

namespace xdscope::cli {
namespace {

std::string Rendered(const ReportOutput& output, const ValidateResult& result, const ValidateOptions& options) {
  switch (output.form) {
    case ReportForm::kText:
      return TextReport(result, options.color && output.path.empty(), !options.quiet);
    case ReportForm::kJson:
      return JsonReport(result);
    case ReportForm::kNdjson:
      return NdjsonReport(result);
    case ReportForm::kSarif:
      return SarifReport(result);
    case ReportForm::kJunit:
      return JunitReport(result);
    case ReportForm::kGithub:
      return GithubReport(result);
    case ReportForm::kGitlab:
      return GitlabReport(result);
  }
  return {};
}

// Prints the result in each form. Returns false where one could not be written, which was said.
bool Print(const ValidateResult& result, const ValidateOptions& options, Streams& streams) {
  bool written = true;
  for (const ReportOutput& output : options.outputs) {
    const std::string text = Rendered(output, result, options);
    if (output.path.empty()) {
      streams.out.write(text);
      continue;
    }
    const absl::Status status = streams.put_file(output.path, text, Readers::kAsUsual);
    if (status.ok()) continue;
    Report(streams, options, {}).Say(fmt::format("{}: {}", output.path, base::Message(status)));
    written = false;
  }
  return written;
}

bool Fails(const ValidateResult& result, finding::Severity fail_on) {
  return std::ranges::any_of(result.files, [fail_on](const client::JudgedFile& file) {
    return std::ranges::any_of(file.findings,
                               [fail_on](const finding::Finding& finding) { return finding.severity >= fail_on; });
  });
}

}  // namespace

JudgedTargets JudgeTargets(const ValidateOptions& options, LoadedTypes& types, Streams& streams) {
  rules::SetOptions set = options.set;
  set.is_missing = MissingFiles(options.root, options.targets, *streams.files);
  client::FileJudge judge(types.types, {.bare_type = options.bare_type, .set = std::move(set)});
  JudgedTargets judged;
  for (std::size_t i = 0; i < options.targets.size(); ++i) {
    const bool readable = AddTarget(options.targets[i], i + 1, *streams.files, &judge);
    judged.readable = judged.readable && readable;
  }
  AddNamedFiles(options.root, *streams.files, &judge);
  judged.result = {.files = judge.Judge(), .api = options.api};
  return judged;
}

std::string FindingsText(const ValidateResult& result, const ValidateOptions& options) {
  return TextReport(result, false, !options.quiet);
}

int Conclude(const JudgedTargets& judged, const ValidateOptions& options, Streams& streams) {
  const bool written = Print(judged.result, options, streams);
  if (!judged.readable || !written) return ToInt(ExitCode::kSource);
  return ToInt(Fails(judged.result, options.fail_on) ? ExitCode::kNo : ExitCode::kDone);
}

int RunValidate(const ValidateOptions& options, LoadedTypes& types, Streams& streams) {
  JudgedTargets judged = JudgeTargets(options, types, streams);
  Select(options.selection, &judged.result.files);
  return Conclude(judged, options, streams);
}

}  // namespace xdscope::cli
