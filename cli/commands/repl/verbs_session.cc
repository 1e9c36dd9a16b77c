#include <fmt/format.h>

#include <algorithm>

#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/words.h"

namespace xdscope::cli::verbs {
namespace {

// The lines that help prints for one verb.
std::string HelpOnVerb(const Verb& verb) {
  const std::string usage = verb.usage.empty() ? std::string() : fmt::format(" {}", verb.usage);
  return fmt::format("{}{}\n    {}\n    for example: {}\n", verb.name, usage, verb.summary, verb.example);
}

}  // namespace

// ---- Waiting.

absl::Status Wait(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  std::string type_url;
  if (!words.words.empty()) {
    const absl::StatusOr<client::Want> want = WantIn(repl, {words.words[0]}, (*stream)->settings().api);
    if (!want.ok()) return want.status();
    type_url = want->type_url;
  }
  const absl::StatusOr<base::Duration> limit = DurationIn(words.for_value, repl.settings().wait);
  if (!limit.ok()) return limit.status();
  if (!repl.console().Wait([&] { return repl.Unseen(**stream, type_url) > 0; }, *limit)) {
    return absl::DeadlineExceededError("no response came in time");
  }
  repl.SeeAll(**stream, type_url);
  return absl::OkStatus();
}

absl::Status Expect(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  const bool absent = !words.words.empty() && words.words[0] == "not";
  const std::vector<std::string> rest(words.words.begin() + (absent ? 1 : 0), words.words.end());
  const absl::StatusOr<client::Want> want = WantIn(repl, rest, (*stream)->settings().api);
  if (!want.ok()) return want.status();
  if (absent && want->names.empty()) return Missing("NAME");
  const base::Duration usual = absent ? std::chrono::seconds(2) : repl.settings().wait;
  const absl::StatusOr<base::Duration> limit = DurationIn(words.for_value, usual);
  if (!limit.ok()) return limit.status();
  const resource::Snapshot& held = (*stream)->held();
  const auto has = [&](const std::string& name) { return held.Find(want->type_url, name) != nullptr; };
  if (absent) {
    const auto any = [&] { return std::any_of(want->names.begin(), want->names.end(), has); };
    if (!repl.console().Wait(any, *limit)) return absl::OkStatus();
    return absl::FailedPreconditionError("it is held");
  }
  const auto all = [&] {
    const auto state = held.types().find(want->type_url);
    return want->names.empty() ? state != held.types().end() && !state->second.resources.empty()
                               : std::all_of(want->names.begin(), want->names.end(), has);
  };
  return repl.console().Wait(all, *limit) ? absl::OkStatus() : absl::DeadlineExceededError("it is not held");
}

// ---- The conversation itself.

absl::Status Set(Repl& repl, const VerbWords& words) {
  constexpr std::string_view kFlags[] = {"output", "color", "json-names", "show-secrets", "emit-defaults"};
  if (words.words.size() < 2) return Missing(words.words.empty() ? "OPTION" : "VALUE");
  if (words.words.size() > 2) return Unexpected(words.words[2]);
  const std::string& option = words.words[0];
  if (option == "wait") {
    const absl::StatusOr<base::Duration> wait = DurationIn(words.words[1], {});
    if (!wait.ok()) return wait.status();
    repl.settings().wait = *wait;
    return absl::OkStatus();
  }
  if (std::find(std::begin(kFlags), std::end(kFlags), option) == std::end(kFlags)) {
    return UsageError(option, "expected output, color, json-names, show-secrets, emit-defaults or wait");
  }
  return repl.services().set_flag(option, words.words[1], &repl.settings());
}

absl::Status Save(Repl& repl, const VerbWords& words) {
  if (words.words.empty()) return Missing("FILE");
  std::string script;
  for (const std::string& line : repl.done()) script.append(line).append("\n");
  return base::Prefix(repl.services().write_file(words.words[0], script), words.words[0]);
}

absl::Status Source(Repl& repl, const VerbWords& words) {
  if (words.words.empty()) return Missing("FILE");
  const absl::StatusOr<std::string> script = repl.services().read_file(words.words[0]);
  if (!script.ok()) return base::Prefix(script.status(), words.words[0]);
  return repl.ExecuteScript(*script, words.words[0]);
}

absl::Status Help(Repl& repl, const VerbWords& words) {
  if (!words.words.empty()) {
    const absl::StatusOr<const Verb*> verb = FindVerb(words.words[0]);
    if (!verb.ok()) return verb.status();
    repl.Print(HelpOnVerb(**verb));
    return absl::OkStatus();
  }
  format::Table table{{{"VERB"}, {""}}, {}};
  for (const Verb& verb : AllVerbs()) table.rows.push_back({std::string(verb.name), std::string(verb.summary)});
  PrintTable(repl, table);
  repl.Print("help VERB says more, with an example\n");
  return absl::OkStatus();
}

absl::Status Quit(Repl& repl, const VerbWords& /*words*/) {
  repl.Quit();
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
