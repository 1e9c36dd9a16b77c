// A conversation with control planes and files, by hand: streams side by side, and the verbs that a person types. Does
// what is typed and nothing else; what a rule of the protocol would say to it is said in a line of its own. Knows no
// terminal: it runs over a Console, and a test gives it streams over a fake channel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/type_argument.h"
#include "cli/commands/repl/console.h"
#include "cli/commands/repl/recorder.h"
#include "cli/commands/repl/repl_stream.h"
#include "cli/commands/repl/words.h"
#include "cli/console/report.h"
#include "cli/flags/options.h"
#include "lib/base/clock.h"
#include "lib/base/files.h"
#include "lib/base/status.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

class Repl {
 public:
  struct Settings {
    ConnectOptions connect;  // of the first stream, and of others where nothing else is said
    OutputOptions output;
    Auto answers = Auto::kOff;
    std::string nack_message;                       // of Auto::kNack
    base::Duration wait = std::chrono::seconds(5);  // of `wait` and `expect` without --for
    std::optional<session::Polling> polling = {};   // of `auto` over REST
  };
  struct Explanation {
    std::string what;
    std::string hint = {};
  };
  // What it needs of the program around it.
  struct Services {
    // Makes the source of a new stream: in this variant, with this node, at this target (empty: the command line's).
    std::function<absl::StatusOr<std::unique_ptr<source::Source>>(types::Variant variant, const std::string& node,
                                                                  const std::string& target)>
        make_source;
    // Says why a conversation with a target ended, and what to do next where that is known.
    std::function<Explanation(const absl::Status& status, bool was_connected, const std::string& target)> explain;
    // Sets a flag as the command line does, and puts what the output and node flags then come to into *settings.
    std::function<absl::Status(std::string_view flag, const std::string& value, Settings* settings)> set_flag;
    std::function<std::string(std::string_view flag)> flag_value;
    // Changes and names the keys of the line editor, "emacs" or "vi". INVALID_ARGUMENT: others.
    std::function<absl::Status(std::string_view keys)> set_keys;
    std::function<std::string_view()> keys;
    std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
    std::function<absl::Status(const std::string& path, std::string_view contents)> write_file;
    std::string replay;                  // the command line that begins such a conversation, without secrets
    const base::Files* files = nullptr;  // for completion
  };

  // All references must outlive it.
  Repl(Settings settings, Console& console, base::Clock& clock, wire::Types& types, Services services);

  // Opens the first stream.
  absl::Status Start();
  // Does what a line says. INVALID_ARGUMENT: it is no verb, or misses something; the message names the word.
  // FAILED_PRECONDITION, NOT_FOUND, DEADLINE_EXCEEDED: it could not be done. UNAVAILABLE: there is no conversation with
  // the server any more.
  absl::Status Execute(std::string_view line);
  // Lets the streams go on until what was done has gone out and, where one is being opened, it is open or failed; for a
  // script or a paste, whose lines follow one another at once.
  void Settle(base::Duration limit);
  // UNAVAILABLE: the stream that verbs are about was never open and is over.
  absl::Status CheckOpened() const;
  // Returns true once `quit` was typed.
  bool quits() const { return quits_; }
  // Ends all streams, what is owed first.
  void Finish();
  // "1 ads 127.0.0.1:18000 2 waiting": which stream is current and how many responses wait there.
  std::string Prompt() const;

  // ---- For the verbs.

  struct Numbered {
    int number;
    std::unique_ptr<ReplStream> stream;
  };

  Console& console() { return console_; }
  wire::Types& types() { return types_; }
  // How things are printed here and now.
  OutputOptions Output();
  base::Clock& clock() { return clock_; }
  Settings& settings() { return settings_; }
  const std::vector<Numbered>& streams() const { return streams_; }
  // The stream that verbs are about. FAILED_PRECONDITION: there is none.
  absl::StatusOr<ReplStream*> Current();
  // Opens another stream and makes it the current one; an empty target is that of the command line.
  absl::Status Open(types::Variant variant, const std::string& target);
  // Makes stream `number` the current one, and returns it. NOT_FOUND.
  absl::StatusOr<ReplStream*> Use(int number);
  // Returns stream `number`. NOT_FOUND.
  absl::StatusOr<ReplStream*> At(int number) const;
  // Ends a stream and takes it out of the list.
  void Remove(ReplStream* stream);
  void Quit() { quits_ = true; }
  void Print(std::string_view text) { console_.out().write(text); }
  // Says what a rule of the protocol would say to what was typed, or what else is worth knowing about it.
  void Remark(std::string_view text);
  // Takes note that the verb at work has waited for a response of the current stream.
  void NoteSeen(std::uint64_t response) { waited_for_ = response; }
  // What was done so far, as a script.
  std::string Script() const;
  const Services& services() const { return services_; }
  // Carries out the lines of a script, up to the first that fails: "FILE:LINE: what".
  absl::Status ExecuteScript(std::string_view text, std::string_view file);

 private:
  ReplStream::Listener ListenerFor(int number, const std::string& target);
  void Announce(int number, std::string_view text);
  std::string Marked(int number, std::string_view text) const;
  void AnnounceSome(int number, std::span<const std::string> lines, std::string_view rest);
  void AnnounceRead(int number, const source::FilesRead& read, bool is_first);
  std::string AnswerText(int number, const source::Update& update, const client::Judgement& judgement) const;
  void AnnounceMessage(int number, std::string_view bytes, bool is_response);
  void OnClosed(int number, const std::string& target, const session::Closed& closed, bool was_connected);
  const Numbered* Find(int number) const;
  int CurrentNumber() const;

  Settings settings_;
  Console& console_;
  base::Clock& clock_;
  wire::Types& types_;
  Services services_;
  int depth_ = 0;  // of scripts that run scripts
  std::vector<Numbered> streams_;
  ReplStream* current_ = nullptr;
  int opened_ = 0;
  bool quits_ = false;
  Recorder recorder_;
  std::optional<std::uint64_t> waited_for_;  // by the verb at work
};

}  // namespace xdscope::cli
