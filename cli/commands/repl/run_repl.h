// A run of `repl`: the conversation with its console, between a command line that is understood and an exit code.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/command_line.h"
#include "cli/commands/repl/repl.h"
#include "cli/console/streams.h"
#include "cli/flags/schema.h"
#include "lib/config/surroundings.h"

namespace xdscope::cli {

// What a command line says.
struct ReplLine {
  Repl::Settings settings;
  std::optional<std::string> script;  // the text of --script, which ReadReplLine() leaves to its caller
  std::string script_file;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// The files that flags name, each read once: while the conversation goes on, `set` and `node` change flags, and the
// others stay what they were, also where one named a pipe.
class FlagFiles {
 public:
  explicit FlagFiles(config::Surroundings surroundings);
  FlagFiles(const FlagFiles&) = delete;
  FlagFiles& operator=(const FlagFiles&) = delete;

  // Reads through it. Lives as long as it does.
  const config::Surroundings& surroundings() const { return surroundings_; }
  // Has a file read again, because a flag names it anew.
  void Forget(const std::string& path) { known_.erase(path); }

 private:
  config::Surroundings surroundings_;
  std::map<std::string, absl::StatusOr<std::string>> known_;
};

// Holds the conversation and returns the exit code. `files` are those of the line.
int RunRepl(const CommandLine& line, ReplLine read, FlagFiles& files, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
