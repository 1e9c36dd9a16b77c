// Takes an argument vector apart: which command, which flags, which words. Goes by a table of commands; sets the Abseil
// flags behind the rows; judges no values beyond what their flags do.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/flag.h"
#include "lib/base/status.h"

namespace xdscope::cli {

struct Command;

struct CommandLine {
  const Command* command = nullptr;          // nullptr: none was typed
  std::vector<std::string> words;            // what is neither command nor flag, in order
  std::set<std::string, std::less<>> given;  // flags that were typed, by their names with dashes
  bool help = false;
  bool version = false;

  bool Given(std::string_view flag) const { return given.contains(flag); }
  template <typename T>
  bool Given(const absl::Flag<T>& flag) const {
    return Given(FlagName(flag));
  }
};

// Reads the arguments behind the program's name and sets the flags: those typed to their values, all others to their
// defaults. Takes dashes and underscores alike, and `--flag=value`, `--flag value`, `--no-flag`, `-ojson`, `-o json`,
// `-o=json`, `-vvq` anywhere on the line; `--` ends flags. Of a flag given twice the last one counts unless it is a
// list. Fails with INVALID_ARGUMENT, "THING: what", and the nearest name where one is near: an unknown command, a flag
// the command does not take, a value missing, not wanted, of the wrong kind, or empty where it names a file or a
// server.
absl::StatusOr<CommandLine> ParseCommandLine(std::span<const Command> commands, std::span<const std::string> arguments);

// Sets one flag of the line's command anew, as if it stood in the line besides; a list gets one value more. `use` reads
// what the flags say then; where it fails, the flag is what it was before. Fails as `use` does, or with
// INVALID_ARGUMENT, "--FLAG VALUE: what".
absl::Status SetFlag(CommandLine* line, std::string_view flag, const std::string& value,
                     const std::function<absl::Status()>& use);

// Returns the values that a flag of the command has now, as a person writes them: one, or as many as a list has.
std::vector<std::string> FlagValues(const Command& command, std::string_view flag);

}  // namespace xdscope::cli
