// What a command and a flag are: rows that the tokeniser, help, the man pages and the completions all go by. A flag's
// text and default are in its Abseil flag; here stands how it is written. Knows no command by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace xdscope::cli {

struct CommandLine;
struct Streams;

enum class Shape : std::uint8_t {
  kSwitch,  // --flag, --no-flag
  kValue,   // --flag VALUE; the last one counts
  kList,    // --flag VALUE, again and again
  kCount,   // -v, -vv
};

struct FlagRow {
  std::string_view name;  // with dashes: "node-id"; the Abseil flag has underscores
  char letter = 0;        // 'o' of -o; 0: none
  Shape shape = Shape::kSwitch;
  std::string_view value;               // "FILE", "ads|delta-ads": what help calls the value; empty for switches
  std::string_view shown_default = {};  // in place of the flag's own default, where that says nothing to a person
};

struct FlagGroup {
  std::string_view title;
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

// nullptr: there is no such command.
const Command* FindCommand(std::span<const Command> commands, std::string_view name);

// The flags that every command has: --help, --version.
std::span<const FlagRow> CommonFlags();

// The flag of a command (or common) by its name with dashes, or by its letter; nullptr: it has no such flag.
const FlagRow* FindFlag(const Command& command, std::string_view name);
const FlagRow* FindFlag(const Command& command, char letter);

// The name of the Abseil flag behind a row: underscores for dashes.
std::string AbseilName(std::string_view flag);

// Looks up the text that help prints beside a flag and its default as a person writes it; empty where there is none.
std::string FlagText(const FlagRow& row);
std::string FlagDefault(const FlagRow& row);

}  // namespace xdscope::cli
