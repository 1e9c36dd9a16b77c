#include <fmt/format.h>

#include "cli/args/type_argument.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/verb_words.h"
#include "cli/commands/repl/verbs.h"
#include "cli/flags/files.h"
#include "cli/print/words.h"
#include "lib/transport/target.h"

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
  if (!stream.is_busy()) return "idle";
  return stream.files() == nullptr ? "connecting" : "reading";
}

// "12 s", "3 min", "2 h".
std::string AgeWords(base::Duration age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (seconds < 120) return fmt::format("{} s", seconds);
  return seconds < 7200 ? fmt::format("{} min", seconds / 60) : fmt::format("{} h", seconds / 3600);
}

// The variant in which another stream speaks: REST and files go by their target, and everything else is gRPC. What
// files are told in is nearest to delta.
absl::StatusOr<types::Variant> VariantFor(Repl& repl, const std::string& target, std::optional<types::Variant> named) {
  const ConnectOptions& connect = repl.settings().connect;
  const types::Variant usual = connect.variant;
  const bool files = target.empty() ? !connect.path.empty() : NamesFiles(target, *repl.services().files);
  if (files && named) return UsageError(VariantName(*named), "is a variant of gRPC, and files have none");
  if (files) return types::Variant::kDeltaAds;
  bool rest = usual == types::Variant::kRest;
  if (!target.empty()) {
    const absl::StatusOr<transport::Target> parsed = transport::ParseTarget(target);
    if (!parsed.ok()) return parsed.status();
    rest = parsed->rest;
  }
  if (rest && named) return UsageError(std::string(VariantName(*named)), "is a variant of gRPC, and REST has none");
  if (rest) return types::Variant::kRest;
  return named.value_or(usual == types::Variant::kRest ? types::Variant::kAds : usual);
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
  const absl::StatusOr<types::Variant> speaks = VariantFor(repl, target, variant);
  if (!speaks.ok()) return speaks.status();
  if (want.type_url.empty()) return repl.Open(*speaks, target);
  absl::Status status = CheckVariant({TypeWord(want.type_url), want}, *speaks, connect.api);
  if (status.ok()) status = repl.Open(*speaks, target);
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
    table.rows.push_back({fmt::format("{}{}", here ? "*" : "", each.number), std::string(KindName(stream)),
                          stream.settings().where, StateWord(stream), AgeWords(repl.clock().Now() - stream.since()),
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
  if (words.fresh) {
    const absl::Status has =
        RefuseForFiles(**stream, "--fresh", "which remember nobody", "unsub and sub read them anew");
    if (!has.ok()) return has;
  }
  (*stream)->Close();
  const absl::Status end = repl.console().Wait([&] { return !(*stream)->has_conversation(); }, repl.settings().wait);
  if (!end.ok()) return end;
  (*stream)->Reopen(words.fresh, repl.settings().connect.node);
  return absl::OkStatus();
}

}  // namespace xdscope::cli::verbs
