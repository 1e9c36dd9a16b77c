#include "cli/commands/repl/run_repl.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "cli/args/usage_error.h"
#include "cli/commands/repl/edit_console.h"
#include "cli/commands/repl/history.h"
#include "cli/commands/repl/script_console.h"
#include "cli/console/diagnosis.h"
#include "cli/flags/files.h"
#include "cli/flags/node.h"
#include "cli/flags/output.h"
#include "cli/workbench.h"
#include "lib/base/files.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

// How long a line at a terminal may hold up the next one.
constexpr std::chrono::milliseconds kPasteMoment{100};

// A word as a shell takes it back.
std::string ShellQuoted(const std::string& word) {
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_-./:=,@%+[]", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  return fmt::format("'{}'", absl::StrReplaceAll(word, {{"'", "'\\''"}}));
}

// The command line that begins such a conversation: headers, and what else may be a secret, left out.
std::string ReplayLine(const CommandLine& line, const ConnectOptions& connect) {
  std::string replay = fmt::format("xdscope repl {}", ShellQuoted(connect.where));
  for (const std::string& flag : line.given) {
    if (flag == "script" || flag == "header" || flag == "target" || flag == "auto") continue;
    for (const std::string& value : FlagValues(*line.command, flag)) {
      const std::string said = fmt::format("--{}={}", flag, value);
      if (!HoldsSecret(said)) replay += fmt::format(" {}", ShellQuoted(said));
    }
  }
  return replay;
}

// One conversation: everything that lives while it is held.
class ReplRun {
 public:
  ReplRun(const CommandLine& line, ReplLine read, FlagFiles& flag_files, Workbench& bench)
      : line_(line),
        flag_files_(flag_files),
        script_(std::move(read.script)),
        script_file_(std::move(read.script_file)),
        connect_(read.settings.connect),
        bench_(bench),
        history_path_(HistoryPath(bench.streams().surroundings)),
        console_(MakeConsole(read.settings.output.style.color)),
        repl_(std::move(read.settings), *console_, bench.loop(), bench.types(), MakeServices()) {}

  int Execute() {
    bench_.OnEachSignal([this](int number) { OnSignal(number); });
    bench_.EndAfter(connect_.max_time, [this] { End(OutOfTime()); });
    if (const absl::Status status = repl_.Start(); !status.ok()) {
      return bench_.report().Fail({.cause = Cause::kSettings, .status = status});
    }
    const absl::Status status = script_ ? repl_.ExecuteScript(*script_, script_file_) : Converse();
    repl_.Finish();
    if (ended_) return bench_.Leave(bench_.report().Fail(*ended_));
    const bool nobody_reads = absl::IsCancelled(status);  // a person's interrupt is in ended_
    if (status.ok() || nobody_reads) return bench_.Leave(ToInt(ExitCode::kDone));
    if (absl::IsUnavailable(status) && why_) return bench_.Leave(bench_.report().Fail(*why_, HintFor(*why_, connect_)));
    bench_.report().Say(base::Message(status));
    return bench_.Leave(ToInt(absl::IsUnavailable(status) ? ExitCode::kSource : ExitCode::kNo));
  }

 private:
  // Whether somebody types the lines, who may go on after a mistake; a script may not.
  bool IsDialogue() const { return !script_ && bench_.streams().input_is_terminal; }

  // A line can be edited where both ends are one terminal that can redraw it.
  std::unique_ptr<Console> MakeConsole(bool color) {
    Streams& streams = bench_.streams();
    if (!IsDialogue() || !CanRedraw(streams.out, streams)) {
      return std::make_unique<ScriptConsole>(bench_.loop(), streams.out, STDIN_FILENO,
                                             IsDialogue() && streams.out.terminal, [this] { repl_.Quit(); });
    }
    EditConsole::Settings settings;
    settings.pager = streams.surroundings.environment("PAGER").value_or("less");
    settings.color = color;
    settings.history = ReadHistory(history_path_, streams.surroundings);
    settings.keep = [this](const std::string& line) { Keep(line); };
    settings.interrupted = [this] { return bench_.interrupted(); };
    if (settings.history.lines().empty()) streams.out.write("help lists the verbs, Tab completes, Ctrl-D leaves\n");
    auto console = std::make_unique<EditConsole>(bench_.loop(), streams.out, std::move(settings));
    edit_console_ = console.get();
    return console;
  }

  // What cannot be kept is not worth a message at each line.
  void Keep(const std::string& line) {
    if (!history_path_.empty() && !HoldsSecret(line)) {
      bench_.streams().append_line(history_path_, line).IgnoreError();
    }
  }

  // Ctrl-C drops a line or ends a wait; a script ends with it, and everything with SIGTERM.
  void OnSignal(int number) {
    if (IsDialogue() && number == SIGINT) return console_->Interrupt();
    End({.cause = Cause::kInterrupted, .status = absl::CancelledError("interrupted")});
  }

  // Whatever waits is over then, and no later line of a script is carried out.
  void End(const Diagnosis& why) {
    ended_ = why;
    repl_.Quit();
    console_->End();
  }

  Repl::Services MakeServices() {
    Repl::Services services;
    services.make_source = [this](types::Variant variant, const std::string& node, const std::string& target) {
      return MakeSource(variant, node, target);
    };
    services.explain = [this](const absl::Status& status, bool was_connected, const std::string& target) {
      return Explain(status, was_connected, target);
    };
    services.set_flag = [this](std::string_view flag, const std::string& value, Repl::Settings* settings) {
      return SetFlag(flag, value, settings);
    };
    services.flag_value = [this](std::string_view flag) { return FlagValues(*line_.command, flag).front(); };
    services.keys = [this] { return keys_ == LineEditor::Keys::kVi ? "vi" : "emacs"; };
    services.set_keys = [this](std::string_view keys) { return SetKeys(keys); };
    services.read_file = [this](const std::string& path) {
      return bench_.streams().surroundings.read_file(path, config::kMostOfFile);
    };
    services.write_file = [this](const std::string& path, std::string_view contents) {
      const std::string folder = files_.Resolve(base::FolderOf(path));
      if (folder.empty()) return base::Error(absl::StatusCode::kNotFound, "there is no such folder");
      return bench_.streams().put_file(fmt::format("{}/{}", folder, base::NameOf(path)), contents, Readers::kOwner);
    };
    services.replay = ReplayLine(line_, connect_);
    services.files = &files_;
    return services;
  }

  absl::StatusOr<std::unique_ptr<source::Source>> MakeSource(types::Variant variant, const std::string& node,
                                                             const std::string& target) {
    absl::StatusOr<ConnectOptions> options = OptionsFor(target);
    if (!options.ok()) return options.status();
    options->variant = variant;
    options->node = node;
    return bench_.MakeSource(*options, Workbench::Life::kByHand);
  }

  // The options of the line, with another target where one is named. What the line says about servers is not about
  // files that are opened beside them.
  absl::StatusOr<ConnectOptions> OptionsFor(const std::string& target) {
    if (target.empty()) return connect_;
    if (NamesFiles(target, files_)) {
      if (const absl::Status again = CheckReadAgain(target); !again.ok()) return again;
      ConnectOptions options = connect_;
      options.path = options.where = target;
      return options;
    }
    absl::StatusOr<ConnectResult> other =
        ReadConnectFlags(line_, target, AskedServers::kMain, bench_.streams().surroundings, bench_.types());
    if (!other.ok()) return other.status();
    return std::move(other->options);
  }

  Repl::Explanation Explain(const absl::Status& status, bool was_connected, const std::string& target) {
    const absl::StatusOr<ConnectOptions> options = OptionsFor(target);
    if (!options.ok()) return {format::Printable(base::Message(status))};
    const bool files = !options->path.empty();
    why_ = files ? Diagnosis{.cause = Cause::kOther, .status = status} : Diagnose(status, was_connected, *options);
    return {FactOf(*why_), HintFor(*why_, *options)};
  }

  // Of all flags, those of the output and of the node alone can be set.
  absl::Status SetFlag(std::string_view flag, const std::string& value, Repl::Settings* settings) {
    if (const std::size_t file = value.find("=@"); file != value.npos) flag_files_.Forget(value.substr(file + 2));
    return cli::SetFlag(&line_, flag, value, [&] {
      const OutputStream& out = bench_.streams().out;
      const config::Surroundings& surroundings = flag_files_.surroundings();
      const absl::StatusOr<OutputOptions> output = ReadOutputFlags(out.terminal ? out.width : 0, surroundings);
      if (!output.ok()) return output.status();
      absl::StatusOr<config::Node> node =
          ReadNodeFlags(line_, connect_.bootstrap_node, connect_.profile, surroundings, bench_.types());
      if (!node.ok()) return node.status();
      settings->output = *output;
      settings->connect.node = std::move(node->bytes);
      settings->connect.node_id = std::move(node->id);
      return absl::OkStatus();
    });
  }

  absl::Status SetKeys(std::string_view keys) {
    if (keys != "emacs" && keys != "vi") return UsageError(keys, "expected emacs or vi");
    keys_ = keys == "vi" ? LineEditor::Keys::kVi : LineEditor::Keys::kEmacs;
    if (edit_console_ != nullptr) edit_console_->SetKeys(keys_);
    return absl::OkStatus();
  }

  absl::Status Converse() {
    if (!IsDialogue()) repl_.Settle(repl_.settings().wait);
    if (const absl::Status opened = repl_.CheckOpened(); !opened.ok() && !IsDialogue()) return opened;
    std::string line;
    for (int number = 1; !repl_.quits() && console_->NextLine(repl_, &line); ++number) {
      const absl::Status status = repl_.Execute(line);
      repl_.Settle(IsDialogue() ? kPasteMoment : repl_.settings().wait);
      if (status.ok()) continue;
      if (!IsDialogue()) return base::Prefix(status, fmt::format("-:{}", number));
      repl_.Print(fmt::format("{}\n", format::Printable(base::Message(status))));
    }
    return IsDialogue() ? absl::OkStatus() : repl_.CheckOpened();
  }

  CommandLine line_;
  FlagFiles& flag_files_;
  std::optional<std::string> script_;
  std::string script_file_;
  ConnectOptions connect_;
  Workbench& bench_;
  std::string history_path_;
  LineEditor::Keys keys_ = LineEditor::Keys::kEmacs;
  base::DiskFiles files_;
  EditConsole* edit_console_ = nullptr;  // what console_ is, or nullptr
  std::unique_ptr<Console> console_;
  Repl repl_;
  std::optional<Diagnosis> why_;    // the last stream ended
  std::optional<Diagnosis> ended_;  // by a signal or --max-time
};

}  // namespace

FlagFiles::FlagFiles(config::Surroundings surroundings) : surroundings_(std::move(surroundings)) {
  surroundings_.read_file = [this, read = std::move(surroundings_.read_file)](const std::string& path,
                                                                              std::size_t most) {
    const auto known = known_.find(path);
    return known != known_.end() ? known->second : known_.emplace(path, read(path, most)).first->second;
  };
}

int RunRepl(const CommandLine& line, ReplLine read, FlagFiles& files, LoadedTypes& types, Streams& streams) {
  const MessageOptions messages = read.settings.connect;
  if (!messages.quiet) ReportNotes(read.notes, streams);
  Workbench bench(messages, types, streams);
  read.settings.polling = PollingOf(read.settings.connect);
  return ReplRun(line, std::move(read), files, bench).Execute();
}

}  // namespace xdscope::cli
