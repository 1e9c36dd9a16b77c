#include "cli/commands/repl/flags.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/args/choice.h"
#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/run_repl.h"
#include "cli/flags/files.h"
#include "cli/flags/named_files.h"
#include "cli/flags/output.h"

// Type, name, default, form and text of each flag.
#define REPL_FLAGS(FLAG)                                                  \
  FLAG(std::string, script, "", Value("FILE"),                            \
       "Do what stands in this file, line by line, and leave; the first " \
       "line that fails ends it.")                                        \
  FLAG(std::string, auto, "off", Value("ack|nack|judge|off"),             \
       "Answer responses by itself: always yes, always no, or no where validate would find an error.")

REPL_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kReplDetails =
    "Opens a stream and waits: nothing is sent that was not typed, nothing is answered that was not told to be. "
    "`help` lists the verbs. A file or a folder is a TARGET too: each `sub` reads it, `--auto` goes on watching it as "
    "Envoy does.\n\n"
    "Without a terminal, or with --script, verbs come from the input, # begins a comment, and the first line that "
    "fails ends it.\n\n"
    "Exit: 0; 1 a line of the script failed; 2 the command line is wrong; 3 the server could not be reached, or the "
    "files not read; 130 "
    "interrupted.";

namespace {

constexpr std::array kRows = {REPL_FLAGS(XDSCOPE_FLAG_ROW)};

// One with nothing in it is a script all the same. It is read once, and not with the flags each time: it may be a pipe.
absl::Status ReadScript(const CommandLine& line, const Streams& streams, ReplLine* read) {
  if (!line.Given(FLAGS_script)) return absl::OkStatus();
  read->script_file = absl::GetFlag(FLAGS_script);
  return ReadFlagFile(streams.surroundings, FLAGS_script, &read->script.emplace());
}

// Fails with INVALID_ARGUMENT, "THING: what".
absl::StatusOr<ReplLine> ReadReplLine(const CommandLine& line, const Streams& streams,
                                      const config::Surroundings& surroundings, wire::Types& types) {
  ReplLine read;
  const absl::StatusOr<OutputOptions> output =
      ReadOutputFlags(streams.out.terminal ? streams.out.width : 0, surroundings);
  if (!output.ok()) return output.status();
  read.settings.output = *output;
  if (line.words.size() > 1) return UsageError(line.words[1], "one TARGET is all that repl takes");
  const TargetAndTypes words = SplitWords(line);
  if (const absl::Status again = CheckReadAgain(words.target); !again.ok()) return again;
  const TargetKind kind = NamesFiles(words.target, *streams.files) ? TargetKind::kFiles : TargetKind::kServers;
  absl::StatusOr<ConnectResult> connect =
      ReadTargetFlags(line, words.target, kind, surroundings, types, AskedServers::kMain);
  if (!connect.ok()) return connect.status();
  read.settings.connect = std::move(connect->options);
  read.notes = std::move(connect->notes);
  const auto answers = Choose<Auto>(FLAGS_auto, kAutos);
  if (!answers.ok()) return answers.status();
  read.settings.answers = *answers;
  client::JudgePolicy& policy = read.settings.connect.policy;
  if (std::exchange(policy.nack_all, false)) read.settings.answers = Auto::kNack;
  read.settings.nack_message = std::exchange(policy.nack_message, {});
  if (policy.on_invalid == client::JudgePolicy::OnInvalid::kAck) {
    policy.on_invalid = client::JudgePolicy::OnInvalid::kNack;
  }
  return read;
}

}  // namespace

std::span<const FlagRow> ReplFlags() {
  return kRows;
}

int RunReplLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  FlagFiles files(streams.surroundings);
  absl::StatusOr<ReplLine> read = ReadReplLine(line, streams, files.surroundings(), (*loaded)->types);
  if (!read.ok()) return ReportUsage(read.status(), streams);
  if (const absl::Status script = ReadScript(line, streams, &*read); !script.ok()) return ReportUsage(script, streams);
  return RunRepl(line, *std::move(read), files, **loaded, streams);
}

}  // namespace xdscope::cli
