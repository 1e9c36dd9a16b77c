#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/print/words.h"

namespace xdscope::cli::verbs {
namespace {

// The stream that a word names, else the current one.
absl::StatusOr<ReplStream*> Named(Repl& repl, const VerbWords& words) {
  if (words.words.empty()) return repl.Current();
  const std::optional<int> number = NumberIn(words.words[0]);
  if (!number) return UsageError(words.words[0], "expected the number of a stream");
  return repl.At(*number);
}

std::string StateWord(const ReplStream& stream) {
  if (stream.is_open()) return "open";
  if (stream.is_over()) return "closed";
  return stream.is_busy() ? "connecting" : "idle";
}

// "12 s", "3 min", "2 h".
std::string AgeWords(base::Duration age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (seconds < 120) return fmt::format("{} s", seconds);
  return seconds < 7200 ? fmt::format("{} min", seconds / 60) : fmt::format("{} h", seconds / 3600);
}

}  // namespace

absl::Status Open(Repl& repl, const VerbWords& words) {
  const ConnectOptions& connect = repl.settings().connect;
  std::optional<types::Variant> variant;
  std::string target;
  client::Want want;
  for (const std::string& word : words.words) {
    const std::optional<types::Variant> named = FindVariant(word);
    if (named && !variant) {
      variant = named;
    } else if (!named && IsTypeWord(word) && want.type_url.empty()) {
      const absl::StatusOr<client::Want> asked = WantIn(repl, {word}, connect.api);
      if (!asked.ok()) return asked.status();
      want = *asked;
    } else if (!named && !IsTypeWord(word) && target.empty()) {
      target = word;
    } else {
      return Unexpected(word);
    }
  }
  if (want.type_url.empty()) return repl.Open(variant.value_or(connect.variant), target);
  absl::Status status = CheckVariant({TypeWord(want.type_url), want}, variant.value_or(connect.variant), connect.api);
  if (status.ok()) status = repl.Open(variant.value_or(connect.variant), target);
  if (status.ok()) (*repl.Current())->Want(want.type_url, {InterestOf(want)});
  return status;
}

absl::Status Use(Repl& repl, const VerbWords& words) {
  const std::optional<int> number = NumberIn(words.words[0]);
  if (!number) return UsageError(words.words[0], "expected the number of a stream");
  return repl.Use(*number).status();
}

absl::Status Streams(Repl& repl, const VerbWords& /*words*/) {
  format::Table table{{{"STREAM", true},
                       {"VARIANT"},
                       {"TARGET"},
                       {"STATE"},
                       {"AGE", true},
                       {"REQUESTS", true},
                       {"RESPONSES", true},
                       {"WAITING", true},
                       {"TYPES"}},
                      {}};
  const absl::StatusOr<ReplStream*> current = repl.Current();
  for (const Repl::Numbered& each : repl.streams()) {
    const ReplStream& stream = *each.stream;
    std::string types;
    for (const std::string& type_url : stream.types()) types += (types.empty() ? "" : " ") + TypeWord(type_url);
    const bool here = current.ok() && *current == &stream;
    table.rows.push_back({fmt::format("{}{}", here ? "*" : "", each.number),
                          std::string(VariantName(stream.settings().variant)), stream.settings().where,
                          StateWord(stream), AgeWords(repl.clock().Now() - stream.since()),
                          fmt::format("{}", stream.requests()), fmt::format("{}", stream.responses()),
                          fmt::format("{}", stream.waiting().size()), types});
  }
  PrintTable(repl, table);
  return absl::OkStatus();
}

absl::Status Close(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = Named(repl, words);
  if (!stream.ok()) return stream.status();
  repl.Remove(*stream);
  return absl::OkStatus();
}

absl::Status Reopen(Repl& repl, const VerbWords& words) {
  const absl::StatusOr<ReplStream*> stream = Named(repl, words);
  if (!stream.ok()) return stream.status();
  (*stream)->Close();
  const absl::Status end = repl.console().Wait([&] { return !(*stream)->has_conversation(); }, repl.settings().wait);
  if (!end.ok()) return end;
  (*stream)->Reopen(words.fresh, repl.settings().connect.node);
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
