#include <fmt/format.h>

#include <algorithm>

#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/words.h"
#include "lib/format/printable.h"

namespace xdscope::cli::verbs {
namespace {

// Returns the lines that help prints for one verb.
std::string HelpOnVerb(const Verb& verb) {
  const std::string usage = verb.usage.empty() ? std::string() : fmt::format(" {}", verb.usage);
  return fmt::format("{}{}\n    {}\n    for example: {}\n", verb.name, usage, verb.summary, verb.example);
}

// Why what was waited for is not there.
absl::Status NothingCame(const ReplStream& stream, std::string_view what = "no response came in time") {
  if (stream.is_over()) return absl::UnavailableError("the stream is closed; reopen opens it again");
  return base::Error(absl::StatusCode::kDeadlineExceeded, what);
}

// "cds" where no name is meant, else "cds:a" or "cds:a and 2 more" of the names that are held, or not.
std::string Those(const client::Want& want, bool held, const std::function<bool(const std::string&)>& has) {
  std::vector<std::string> names;
  for (const std::string& name : want.names) {
    if (has(name) == held) names.push_back(name);
  }
  if (names.empty()) return TypeWord(want.type_url);
  const std::string first = ResourceWord(want.type_url, names.front());
  return names.size() == 1 ? first : fmt::format("{} and {} more", first, names.size() - 1);
}

// What holds it up that something is held, where that is known.
std::string_view WaitsWords(const ReplStream& stream, std::string_view type_url) {
  return stream.Waits(type_url) ? "; a response of this type waits for ack or nack" : "";
}

// Beside `wait` and `keys` they are flags of the command line too.
constexpr std::string_view kOptions[] = {"output",        "color",          "json-names", "show-secrets",
                                         "emit-defaults", "unknown-fields", "wait",       "keys"};

std::string OptionValue(Repl& repl, std::string_view option) {
  if (option == "keys") return std::string(repl.services().keys());
  if (option != "wait") return repl.services().flag_value(option);
  return fmt::format("{}s", std::chrono::duration<double>(repl.settings().wait).count());
}

absl::Status CheckOption(std::string_view option) {
  if (std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions)) return absl::OkStatus();
  return UsageError(
      option, fmt::format("is no option; there are {}{}", fmt::join(kOptions, ", "), DidYouMean(option, kOptions)));
}

absl::Status SetOption(Repl& repl, const std::string& option, const std::string& value) {
  if (option == "keys") return repl.services().set_keys(value);
  if (option == "wait") {
    const absl::StatusOr<base::Duration> wait = DurationIn(value, {});
    if (wait.ok()) repl.settings().wait = *wait;
    return wait.status();
  }
  return repl.services().set_flag(option, value, &repl.settings());
}

void PrintOptions(Repl& repl) {
  format::Table table{{{"OPTION"}, {"VALUE"}}, {}};
  for (const std::string_view option : kOptions) table.rows.push_back({std::string(option), OptionValue(repl, option)});
  PrintTable(repl, table);
}

}  // namespace

// ---- Waiting.

absl::Status Wait(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = repl.Current();
  if (!stream.ok()) return stream.status();
  const absl::StatusOr<std::string> type_url = TypeIn(repl, words, (*stream)->settings().api);
  if (!type_url.ok()) return type_url.status();
  const absl::StatusOr<base::Duration> limit = DurationIn(words.for_value, repl.settings().wait);
  if (!limit.ok()) return limit.status();
  ReplStream& waited = **stream;
  const auto over = [&] { return waited.HasUnseen(*type_url) || waited.is_over(); };
  if (const absl::Status end = repl.console().Wait(over, *limit); absl::IsCancelled(end)) return end;
  if (!waited.HasUnseen(*type_url)) return NothingCame(waited);
  repl.NoteSeen(waited.See(*type_url).number);
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
    const absl::Status end = repl.console().Wait(any, *limit);
    if (absl::IsCancelled(end)) return end;
    if (!end.ok()) return absl::OkStatus();
    return base::Error(absl::StatusCode::kFailedPrecondition, fmt::format("{}: held", Those(*want, true, has)));
  }
  const auto all = [&] {
    const auto state = held.types().find(want->type_url);
    return want->names.empty() ? state != held.types().end() && !state->second.resources.empty()
                               : std::all_of(want->names.begin(), want->names.end(), has);
  };
  const ReplStream& asked = **stream;
  const absl::Status end = repl.console().Wait([&] { return all() || asked.is_over(); }, *limit);
  if (absl::IsCancelled(end)) return end;
  return all() ? absl::OkStatus()
               : NothingCame(
                     asked, fmt::format("{}: not held{}", Those(*want, false, has), WaitsWords(asked, want->type_url)));
}

// ---- The conversation itself.

absl::Status Set(Repl& repl, const VerbWords& words) {
  if (words.words.empty()) {
    PrintOptions(repl);
    return absl::OkStatus();
  }
  if (words.words.size() > 2) return Unexpected(words.words[2]);
  const absl::Status known = CheckOption(words.words[0]);
  if (!known.ok()) return known;
  if (words.words.size() == 1) {
    repl.Print(fmt::format("{}\n", OptionValue(repl, words.words[0])));
    return absl::OkStatus();
  }
  return SetOption(repl, words.words[0], words.words[1]);
}

absl::Status Save(Repl& repl, const VerbWords& words) {
  const absl::Status written = repl.services().write_file(words.words[0], repl.Script());
  if (written.ok())
    repl.Remark(fmt::format("{} replays it: xdscope repl TARGET --script {}", words.words[0], words.words[0]));
  return base::Prefix(written, words.words[0]);
}

absl::Status Source(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<std::string> script = repl.services().read_file(words.words[0]);
  if (!script.ok()) return base::Prefix(script.status(), words.words[0]);
  return repl.ExecuteScript(*script, words.words[0]);
}

absl::Status ShowHistory(Repl& repl, const VerbWords& /*words*/) {
  const TypedLines& history = repl.console().History();
  if (history.dropped() > 0) repl.Remark(fmt::format("{} older lines are no longer kept", history.dropped()));
  for (const std::string& line : history.lines()) repl.Print(fmt::format("{}\n", format::Printable(line)));
  return absl::OkStatus();
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
