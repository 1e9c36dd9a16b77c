#include "cli/print/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "cli/console/diagnosis.h"
#include "cli/print/words.h"
#include "lib/finding/sample.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {
namespace {

void ReportFindings(const client::Outcome& outcome, Report& report) {
  const std::size_t count = std::min(outcome.findings.size(), kMostSaid);
  for (const finding::Finding& finding : std::span(outcome.findings).first(count)) {
    const std::string word = ResourceWord(finding.type_url, finding.resource);
    if (outcome.refused) {
      report.Say(fmt::format("{}: refused: {}", word, finding::ToText(finding)));
    } else {
      report.Note(fmt::format("{}: {}", word, finding::ToText(finding)));
    }
  }
  const std::size_t all = finding::CountOf(outcome.findings);
  if (all > count) report.Note(fmt::format("and {} more", all - count));
}

void ReportMissing(const client::Outcome& outcome, Report& report) {
  std::vector<std::string> words;
  for (const client::MissingName& missing : outcome.missing) {
    std::string word = ResourceWord(missing.type_url, missing.name);
    if (!missing.words.empty()) word += fmt::format(" ({})", missing.words);
    words.push_back(std::move(word));
  }
  if (!words.empty()) report.Say(fmt::format("absent: {}", Listed(words)));
}

void ReportElsewhere(const client::Outcome& outcome, Report& report) {
  std::vector<std::string> words;
  for (const client::Elsewhere& elsewhere : outcome.elsewhere) {
    words.push_back(fmt::format("{} ({})", ResourceWord(elsewhere.type_url, elsewhere.name), elsewhere.where));
  }
  if (!words.empty()) report.Note(fmt::format("elsewhere: {}", Listed(words)));
}

void ReportUnsettled(const client::Outcome& outcome, const FetchOptions& settings, Report& report) {
  const double seconds = std::chrono::duration<double>(settings.fetch.wait).count();
  for (const std::string& type_url : outcome.unsettled) {
    report.Note(fmt::format("{}: more was still coming after {:g}s (--wait): this is what had come by then",
                            TypeWord(type_url), seconds));
  }
}

void ReportNothing(const client::Outcome& outcome, Report& report) {
  for (const client::Failure& nothing : outcome.nothing) {
    report.Note(fmt::format("{}: nothing there: {}", TypeWord(nothing.type_url), base::Message(nothing.status)));
  }
}

// Of everything that was asked for as "*" nothing came: some servers look for a resource of that name.
void ReportStars(const client::Outcome& outcome, const FetchOptions& settings, Report& report) {
  const auto said_star = [&](const client::Want& want) {
    const resource::TypeState* state = outcome.snapshot.FindType(want.type_url);
    const bool nothing = state == nullptr || state->resources.empty();
    return want.everything && want.starred && nothing;
  };
  for (const client::Want& want : WantsOf(settings)) {
    if (!said_star(want)) continue;
    report.Note(fmt::format("{}: the server sent nothing for \"*\"; it may take it for a name: --wildcard legacy",
                            TypeWord(want.type_url)));
  }
}

// Every type was answered, and with nothing.
void ReportEmptyNode(const client::Outcome& outcome, const FetchOptions& settings, Report& report) {
  const bool asked_for_all = settings.types.empty() && settings.connect.path.empty();
  const bool has_any =
      std::ranges::any_of(outcome.snapshot.types(), [](const auto& type) { return !type.second.resources.empty(); });
  if (!asked_for_all || has_any || !outcome.silent.empty()) return;
  report.Note(
      fmt::format("{}: nothing is there for the node \"{}\"", settings.connect.where, settings.connect.node_id));
}

// Types that never answered; where names of the type were named as absent, that has said it.
void ReportSilence(const client::Outcome& outcome, Report& report) {
  for (const std::string& type_url : outcome.silent) {
    const bool said = std::any_of(outcome.missing.begin(), outcome.missing.end(),
                                  [&](const client::MissingName& missing) { return missing.type_url == type_url; });
    if (!said) report.Say(fmt::format("{}: no response", TypeWord(type_url)));
  }
}

// Puts beside a silence what its hint goes by.
Diagnosis SilentFailure(absl::Status status, const SilenceFacts& facts, const FetchOptions& settings) {
  Diagnosis failure{.cause = Cause::kSilent, .status = std::move(status)};
  failure.names_asked = std::any_of(settings.types.begin(), settings.types.end(),
                                    [](const TypeRequest& type) { return !type.want.names.empty(); });
  failure.unknown_type = facts.unknown_type;
  failure.nearest_type = facts.nearest_type;
  const bool roots_only = std::all_of(settings.types.begin(), settings.types.end(), [](const TypeRequest& type) {
    return types::SaysAll(types::Variant::kSotw, type.want.type_url);
  });
  if (!failure.names_asked && !roots_only) failure.type_without_names = settings.types.front().word;
  return failure;
}

// Nothing came at all, though the stream is open.
int ReportSilentServer(const client::Outcome& outcome, const FetchOptions& settings, const SilenceFacts& facts,
                       Report& report) {
  const double seconds = std::chrono::duration<double>(settings.fetch.wait).count();
  std::string fact = fmt::format("connected, but no response within {:g}s", seconds);
  if (!facts.server_says.empty()) fact += fmt::format("; {}", facts.server_says);
  Diagnosis failure = SilentFailure(base::Error(absl::StatusCode::kDeadlineExceeded, fact), facts, settings);
  if (!outcome.silent.empty()) {
    const std::optional<ServerOptions> server = ServerFor(settings.connect, outcome.silent.front());
    if (server) failure.where = server->where;
  }
  return report.Fail(failure, HintFor(failure, settings.connect));
}

// A failure, put beside what is met where it happened; that of files names them itself.
Diagnosis DiagnosisOf(const client::Failure& failure, const ConnectOptions& there) {
  if (!there.path.empty()) return {.cause = Cause::kOther, .status = failure.status};
  Diagnosis diagnosis = Diagnose(failure.status, failure.connected, there);
  diagnosis.where = there.where;
  if (!failure.type_url.empty()) {
    diagnosis.status = base::Prefix(diagnosis.status, TypeWord(failure.type_url));
  }
  return diagnosis;
}

// Servers that another took the place of.
void ReportMoves(const client::Outcome& outcome, const FetchOptions& settings, Report& report) {
  const std::size_t count = std::min(outcome.moves.size(), kMostSaid);
  for (const client::Failure& move : std::span(outcome.moves).first(count)) {
    const ConnectOptions there = OptionsAt(settings.connect, move.place);
    report.Note(fmt::format("{}: {}: the next server was asked", there.where, FactOf(DiagnosisOf(move, there))));
  }
  if (outcome.moves.size() > count) report.Note(fmt::format("and {} more", outcome.moves.size() - count));
}

// The first failure is the error; those of other servers are said beside it.
int ReportFailure(const client::Outcome& outcome, const FetchOptions& settings, Report& report) {
  const client::Failure& first = outcome.failures.front();
  const ConnectOptions there = OptionsAt(settings.connect, first.place);
  if (!there.path.empty()) return report.Fail(DiagnosisOf(first, there));
  Diagnosis failure = DiagnosisOf(first, there);
  if (failure.cause == Cause::kOther && outcome.response_count > 0) failure.cause = Cause::kLost;
  std::set<session::Place> said = {first.place};
  for (const client::Failure& other : outcome.failures) {
    if (said.size() == kMostSaid || !said.insert(other.place).second) continue;
    const ConnectOptions elsewhere = OptionsAt(settings.connect, other.place);
    report.Note(fmt::format("{}: {}", elsewhere.where, FactOf(DiagnosisOf(other, elsewhere))));
  }
  return report.Fail(failure, HintFor(failure, there));
}

bool SomethingIsMissing(const client::Outcome& outcome, const FetchOptions& settings) {
  const bool absent =
      std::any_of(outcome.missing.begin(), outcome.missing.end(),
                  [&](const client::MissingName& missing) { return missing.typed || settings.fail_on_absent; });
  return absent || outcome.refused || !outcome.silent.empty();
}

}  // namespace

std::vector<client::Want> WantsOf(const FetchOptions& settings) {
  std::vector<client::Want> wants;
  for (const TypeRequest& type : settings.types) wants.push_back(type.want);
  return wants.empty() ? RootWants(settings.connect.roots, settings.connect.api, settings.connect.wildcard) : wants;
}

std::string Listed(const std::vector<std::string>& words) {
  std::string line;
  for (std::size_t i = 0; i < std::min(words.size(), kMostSaid); ++i) {
    line += fmt::format("{}{}", i == 0 ? "" : ", ", words[i]);
  }
  if (words.size() > kMostSaid) line += fmt::format(" and {} more", words.size() - kMostSaid);
  return line;
}

int ReportOutcome(const client::Outcome& outcome, const FetchOptions& settings, const SilenceFacts& facts,
                  Report& report) {
  report.SayLeftOut();
  ReportMoves(outcome, settings, report);
  if (!settings.findings_said) ReportFindings(outcome, report);
  ReportElsewhere(outcome, report);
  ReportUnsettled(outcome, settings, report);
  ReportNothing(outcome, report);
  if (outcome.response_count > 0) {
    ReportStars(outcome, settings, report);
    ReportEmptyNode(outcome, settings, report);
  }
  if (outcome.response_count > 0 || outcome.out_of_time) ReportMissing(outcome, report);
  if (outcome.out_of_time) {
    // Where nothing came by then, the reason is the same as of a silence.
    const bool was_silent = outcome.response_count == 0 && !outcome.silent.empty() && outcome.failures.empty();
    const Diagnosis silence = SilentFailure(OutOfTime().status, facts, settings);
    return report.Fail(OutOfTime(), was_silent ? HintFor(silence, settings.connect) : std::string());
  }
  if (outcome.broken) return ToInt(ExitCode::kSource);  // what is wrong was said when it was read
  if (!outcome.failures.empty()) return ReportFailure(outcome, settings, report);
  if (outcome.response_count == 0) return ReportSilentServer(outcome, settings, facts, report);
  ReportSilence(outcome, report);
  return ToInt(SomethingIsMissing(outcome, settings) ? ExitCode::kNo : ExitCode::kDone);
}

}  // namespace xdscope::cli
