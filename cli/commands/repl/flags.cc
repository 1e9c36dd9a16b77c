#include "cli/commands/repl/flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/args/choice.h"
#include "cli/args/flag.h"
#include "cli/args/flag_types.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/loop_console.h"
#include "cli/commands/repl/repl.h"
#include "cli/flags/connect.h"
#include "cli/flags/output.h"
#include "cli/workbench.h"

// Type, name, default, form and text of each flag.
#define REPL_FLAGS(FLAG)                                                  \
  FLAG(std::string, script, "", Value("FILE"),                            \
       "Do what stands in this file, line by line, and leave; the first " \
       "line that fails ends it.")                                        \
  FLAG(std::string, auto, "off", Value("ack|nack|judge|off"),             \
       "Answer responses by itself: always yes, always no, or as --on-invalid nack would.")

REPL_FLAGS(XDSCOPE_DEFINE_FLAG)

namespace xdscope::cli {

const std::string_view kReplDetails =
    "Opens a stream and waits: nothing is sent that was not typed, nothing is answered that was not told to be. "
    "`help` lists the verbs.\n\n"
    "Without a terminal, or with --script, verbs come from the input, # begins a comment, and the first line that "
    "fails "
    "ends it.\n\n"
    "Exit: 0; 1 a line of the script failed; 2 the command line is wrong; 3 the server could not be reached; 130 "
    "interrupted.";

namespace {

constexpr std::array kRows = {REPL_FLAGS(XDSCOPE_FLAG_ROW)};
constexpr std::array kAutos = {
    Choice<Auto>{"off", Auto::kOff},
    Choice<Auto>{"ack", Auto::kAck},
    Choice<Auto>{"nack", Auto::kNack},
    Choice<Auto>{"judge", Auto::kJudge},
};

struct ReplLine {
  Repl::Settings settings;
  std::string script;
  std::vector<std::string> notes;
};

absl::StatusOr<ReplLine> ReadReplLine(const CommandLine& line, const Streams& streams, wire::Types& types) {
  ReplLine read;
  const absl::StatusOr<OutputOptions> output =
      ReadOutputFlags(streams.out.terminal ? streams.out.width : 0, streams.surroundings);
  if (!output.ok()) return output.status();
  read.settings.output = *output;
  if (line.words.size() > 1) return UsageError(line.words[1], "one TARGET is all that repl takes");
  const TargetAndTypes words = SplitWords(line);
  absl::StatusOr<ConnectResult> connect = ReadConnectFlags(line, words.target, streams.surroundings, types);
  if (!connect.ok()) return connect.status();
  read.settings.connect = std::move(connect->options);
  read.notes = std::move(connect->notes);
  const auto answers = Choose<Auto>(FLAGS_auto, kAutos);
  if (!answers.ok()) return answers.status();
  read.settings.answers = *answers;
  read.script = absl::GetFlag(FLAGS_script);
  if (line.Given(FLAGS_script) && read.script.empty()) return UsageError("--script", "expected a file");
  return read;
}

// One conversation: everything that lives while it is held.
class ReplRun {
 public:
  ReplRun(const CommandLine& line, ReplLine read, Workbench& bench)
      : line_(line),
        script_(std::move(read.script)),
        bench_(bench),
        console_(bench.loop(), bench.streams().out),
        repl_(std::move(read.settings), console_, bench.loop(), bench.types(), MakeServices()) {}

  int Execute() {
    bench_.OnInterrupt([this] {
      interrupted_ = true;
      console_.Interrupt();
    });
    absl::Status status = repl_.Start();
    if (status.ok()) status = script_.empty() ? ExecuteInput() : ExecuteScript();
    if (interrupted_) return bench_.Leave(ToInt(ExitCode::kInterrupted));
    repl_.Finish();
    if (!status.ok()) bench_.report().Say(base::Message(status));
    return bench_.Leave(ToInt(status.ok() ? ExitCode::kDone : ExitCode::kNo));
  }

 private:
  Repl::Services MakeServices() {
    Repl::Services services;
    services.make_source = [this](types::Variant variant, const std::string& node, const std::string& target) {
      return MakeSource(variant, node, target);
    };
    services.set_flag = [this](std::string_view flag, const std::string& value, Repl::Settings* settings) {
      return SetFlag(flag, value, settings);
    };
    services.read_file = [this](const std::string& path) {
      return bench_.streams().surroundings.read_file(path, config::kMostOfFile);
    };
    services.write_file = [this](const std::string& path, std::string_view contents) {
      return bench_.streams().put_file(path, contents, Readers::kOwner);
    };
    return services;
  }

  absl::StatusOr<std::unique_ptr<source::Source>> MakeSource(types::Variant variant, const std::string& node,
                                                             const std::string& target) {
    ConnectOptions options = repl_.settings().connect;
    if (!target.empty()) {
      absl::StatusOr<ConnectResult> other =
          ReadConnectFlags(line_, target, bench_.streams().surroundings, bench_.types());
      if (!other.ok()) return other.status();
      options = std::move(other->options);
    }
    options.variant = variant;
    options.node = node;
    return bench_.MakeSource(options);
  }

  absl::Status SetFlag(std::string_view flag, const std::string& value, Repl::Settings* settings) {
    const absl::Status status = cli::SetFlag(*line_.command, flag, value);
    if (!status.ok()) return status;
    absl::StatusOr<ReplLine> read = ReadReplLine(line_, bench_.streams(), bench_.types());
    if (!read.ok()) return read.status();
    settings->output = read->settings.output;
    settings->connect.node = std::move(read->settings.connect.node);
    return absl::OkStatus();
  }

  absl::Status ExecuteScript() {
    const absl::StatusOr<std::string> text = bench_.streams().surroundings.read_file(script_, config::kMostOfFile);
    if (!text.ok()) return base::Prefix(text.status(), script_);
    return repl_.ExecuteScript(*text, script_);
  }

  // A person at a terminal may go on after a mistake; a script may not.
  absl::Status ExecuteInput() {
    const bool person = isatty(STDIN_FILENO) != 0;
    std::string line;
    for (int number = 1; !repl_.quits(); ++number) {
      if (person) bench_.streams().out.write(repl_.Prompt());
      if (!console_.NextLine(STDIN_FILENO, &line)) break;
      const absl::Status status = repl_.Execute(line);
      if (!status.ok() && !person) return base::Prefix(status, fmt::format("-:{}", number));
      if (!status.ok()) bench_.report().Say(base::Message(status));
    }
    return absl::OkStatus();
  }

  const CommandLine& line_;
  std::string script_;
  Workbench& bench_;
  LoopConsole console_;
  Repl repl_;
  bool interrupted_ = false;
};

}  // namespace

std::span<const FlagRow> ReplFlags() {
  return kRows;
}

int RunReplLine(const CommandLine& line, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<LoadedTypes>> loaded = LoadTypes(streams.surroundings);
  if (!loaded.ok()) return ReportUsage(loaded.status(), streams);
  absl::StatusOr<ReplLine> read = ReadReplLine(line, streams, (*loaded)->types);
  if (!read.ok()) return ReportUsage(read.status(), streams);
  if (!read->settings.connect.quiet) {
    for (const std::string& note : read->notes) streams.err.write(fmt::format("note: {}\n", note));
  }
  const MessageOptions messages = read->settings.connect;
  Workbench bench(messages, **loaded, streams);
  return ReplRun(line, *std::move(read), bench).Execute();
}

}  // namespace xdscope::cli
