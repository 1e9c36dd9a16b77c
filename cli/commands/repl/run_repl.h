// A run of `repl`: the conversation with its console, between a command line that is understood and an exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/args/command_line.h"
#include "cli/commands/repl/repl.h"
#include "cli/console/streams.h"
#include "cli/flags/schema.h"

namespace xdscope::cli {

// What a command line says.
struct ReplLine {
  Repl::Settings settings;
  std::optional<std::string> script;  // the text of --script, which ReadReplLine() leaves to its caller
  std::string script_file;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Reads the flags, which `set` and `node` change while the conversation goes on. INVALID_ARGUMENT, "THING: what".
absl::StatusOr<ReplLine> ReadReplLine(const CommandLine& line, const Streams& streams, wire::Types& types);

// Holds the conversation and returns the exit code.
int RunRepl(const CommandLine& line, ReplLine read, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
