// What a command is: a row that the tokeniser, help, the man pages and the completions all go by. Knows no command by
// name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/args/flag.h"

namespace xdscope::cli {

struct CommandLine;
struct Streams;

struct FlagGroup {
  std::string_view title;  // empty: the group goes on with more flags
  std::span<const FlagRow> flags;
};

struct Command {
  std::string_view name;
  std::string_view usage;    // behind "xdscope ": "fetch [TARGET] …"
  std::string_view summary;  // one line
  std::string_view details;  // paragraphs of help, between blank lines
  std::span<const FlagGroup> groups;
  int (*run)(const CommandLine& line, Streams& streams);
};

// Returns nullptr where there is no such command.
const Command* FindCommand(std::span<const Command> commands, std::string_view name);

// Returns the flags that every command has: --help, --version.
std::span<const FlagRow> CommonFlags();

// Finds a flag of a command (or a common one) by its name with dashes, or by its letter; returns nullptr where there is
// none.
const FlagRow* FindFlag(const Command& command, std::string_view name);
const FlagRow* FindFlag(const Command& command, char letter);

// Returns the name of the Abseil flag behind a row, with underscores for dashes.
std::string AbseilName(const FlagRow& flag);

// Returns the default of a flag as a person writes it; empty where there is none.
std::string FlagDefault(const FlagRow& row);

}  // namespace xdscope::cli
