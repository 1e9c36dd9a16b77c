#include "cli/args/command_line.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "cli/args/command.h"
#include "cli/args/flag_types.h"
#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"

namespace xdscope::cli {
namespace {

// A flag as it was typed, before it is known whether the command takes it.
struct Typed {
  std::string spelling;  // "--node_id", "-o": for messages
  const FlagRow* row;
  std::string value;
};

// Splits the arguments into the command, its words and its flags as they were typed. Flags may stand before the command
// (`xdscope -o json fetch`): until it is known a flag has the form that any command gives it, which decides whether the
// next argument is its value, and SetFlags() asks later whether the command takes it at all. Values are not looked at.
class Tokeniser {
 public:
  Tokeniser(std::span<const Command> commands, std::span<const std::string> arguments, CommandLine* line)
      : commands_(commands), arguments_(arguments), line_(line) {}

  absl::Status Run() {
    bool only_words = false;
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      absl::Status status;
      if (only_words || argument == "-" || !argument.starts_with('-')) {
        status = Word(argument);
      } else if (argument == "--") {
        only_words = true;
      } else if (argument.starts_with("--")) {
        status = Long(argument);
      } else {
        status = Letters(argument);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const std::vector<Typed>& typed() const { return typed_; }

 private:
  absl::Status Word(const std::string& word) {
    if (line_->command != nullptr) {
      line_->words.push_back(word);
      return absl::OkStatus();
    }
    line_->command = FindCommand(commands_, word);
    if (line_->command != nullptr) return absl::OkStatus();
    std::vector<std::string_view> names;
    for (const Command& command : commands_) names.push_back(command.name);
    return UsageError(word, fmt::format("there is no such command{}", DidYouMean(word, names)));
  }

  absl::Status Long(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string spelling = argument.substr(0, equals);
    std::string name = spelling.substr(2);
    for (char& c : name) c = c == '_' ? '-' : c;
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    // A flag whose own name begins with "no-" is looked for first.
    if (const FlagRow* row = Find(name)) return Take(spelling, *row, std::move(value));
    const FlagRow* positive = name.starts_with("no-") ? Find(name.substr(3)) : nullptr;
    if (positive == nullptr || positive->shape != Shape::kSwitch) return Unknown(spelling, name);
    if (value) return UsageError(spelling, "takes no value");
    typed_.push_back({spelling, positive, "false"});
    return absl::OkStatus();
  }

  // Takes -v, -vvq, -ojson, -o=json, -o json. The first letter whose flag has a value ends the letters: what follows is
  // that value.
  absl::Status Letters(const std::string& argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const std::string spelling = fmt::format("-{}", argument[i]);
      const FlagRow* row = Find(argument[i]);
      if (row == nullptr) return Unknown(spelling, "");
      if (row->shape == Shape::kSwitch || row->shape == Shape::kCount) {
        const absl::Status status = Take(spelling, *row, std::nullopt);
        if (!status.ok()) return status;
        continue;
      }
      std::string rest = argument.substr(i + 1);
      if (rest.empty()) return Take(spelling, *row, std::nullopt);
      if (rest.front() == '=') rest.erase(0, 1);
      return Take(spelling, *row, std::move(rest));
    }
    return absl::OkStatus();
  }

  absl::Status Take(const std::string& spelling, const FlagRow& row, std::optional<std::string> value) {
    if (row.shape == Shape::kSwitch || row.shape == Shape::kCount) {
      if (value && row.shape == Shape::kCount) return UsageError(spelling, "takes no value; give it again for more");
      typed_.push_back({spelling, &row, std::move(value).value_or("true")});
      return absl::OkStatus();
    }
    if (!value) {
      if (next_ == arguments_.size()) return UsageError(spelling, fmt::format("needs a value: {}", row.value));
      value = arguments_[next_++];
    }
    typed_.push_back({spelling, &row, *std::move(value)});
    return absl::OkStatus();
  }

  template <typename Key>
  const FlagRow* Find(const Key& key) const {
    if (line_->command != nullptr) return FindFlag(*line_->command, key);
    for (const Command& command : commands_) {
      if (const FlagRow* row = FindFlag(command, key)) return row;
    }
    return nullptr;
  }

  absl::Status Unknown(const std::string& spelling, const std::string& name) const {
    std::vector<std::string_view> names;
    const auto add = [&names](std::span<const FlagRow> rows) {
      for (const FlagRow& row : rows) names.push_back(row.name);
    };
    add(CommonFlags());
    for (const Command& command : commands_) {
      if (line_->command != nullptr && line_->command != &command) continue;
      for (const FlagGroup& group : command.groups) add(group.flags);
    }
    const std::string_view who = line_->command == nullptr ? "xdscope" : line_->command->name;
    return UsageError(spelling, fmt::format("{} has no such flag{}", who, DidYouMean(name, names, "--")));
  }

  std::span<const Command> commands_;
  std::span<const std::string> arguments_;
  CommandLine* line_;
  std::size_t next_ = 0;
  std::vector<Typed> typed_;
};

std::string Expected(const FlagRow& row) {
  if (row.shape == Shape::kSwitch) return "expected true or false";
  if (row.value == "DURATION") return "expected a duration such as 1.5s, 200ms or 2m; a bare number is seconds";
  return fmt::format("expected {}", row.value);
}

// Returns true for a flag whose value names a file or a server. An empty one is most often a variable that nobody set,
// and to go on without the certificate or the server that was meant would be worse than to stop.
bool NamesSomething(const FlagRow& row) {
  return row.value.starts_with("FILE") || row.value == "TARGET";
}

// Sets the Abseil flags. Flags that repeat become one value first, because ParseFrom() replaces what is there: of a
// list all values, of a count how many, of all others the last.
absl::Status SetFlags(const std::vector<Typed>& typed, CommandLine* line) {
  std::map<const FlagRow*, Typed> values;
  for (const Typed& flag : typed) {
    const FlagRow* row = FindFlag(*line->command, flag.row->name);
    if (row == nullptr) return UsageError(flag.spelling, fmt::format("{} has no such flag", line->command->name));
    if (flag.value.empty() && NamesSomething(*row)) {
      return UsageError(flag.spelling, fmt::format("the value is empty; expected {}", row->value));
    }
    Typed& value = values[row];
    value.spelling = flag.spelling;
    if (row->shape == Shape::kList) {
      value.value.append(flag.value).push_back(ListFlag::kEnd);
    } else if (row->shape == Shape::kCount) {
      value.value.push_back('+');
    } else {
      value.value = flag.value;
    }
    line->given.emplace(row->name);
  }
  for (const auto& [row, flag] : values) {
    const std::string value = row->shape == Shape::kCount ? std::to_string(flag.value.size()) : flag.value;
    absl::CommandLineFlag* target = absl::FindCommandLineFlag(AbseilName(*row));
    std::string error;
    if (target != nullptr && !target->ParseFrom(value, &error)) {
      return UsageError(fmt::format("{} {}", flag.spelling, value), Expected(*row));
    }
  }
  return absl::OkStatus();
}

// Sets all flags to their defaults. They are globals, so what an earlier line of this process set has to be undone, as
// tests and the prompt read many. (absl::FlagSaver could, but writes to stderr.)
void ResetFlags(std::span<const Command> commands) {
  for (const Command& command : commands) {
    for (const FlagGroup& group : command.groups) {
      for (const FlagRow& row : group.flags) {
        absl::CommandLineFlag* flag = absl::FindCommandLineFlag(AbseilName(row));
        std::string error;
        if (flag != nullptr) flag->ParseFrom(flag->DefaultValue(), &error);
      }
    }
  }
}

// Takes --help and --version out, which have no Abseil flag because they change what is done.
std::vector<Typed> TakeCommon(const std::vector<Typed>& typed, CommandLine* line) {
  std::vector<Typed> rest;
  for (const Typed& flag : typed) {
    if (flag.row->name == "help") {
      line->help = flag.value == "true";
    } else if (flag.row->name == "version") {
      line->version = flag.value == "true";
    } else {
      rest.push_back(flag);
    }
  }
  return rest;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(std::span<const Command> commands,
                                             std::span<const std::string> arguments) {
  ResetFlags(commands);
  CommandLine line;
  Tokeniser tokeniser(commands, arguments, &line);
  absl::Status status = tokeniser.Run();
  const std::vector<Typed> flags = TakeCommon(tokeniser.typed(), &line);
  if (line.help || line.version) return line;  // whatever else is wrong, help is what was asked for
  if (status.ok() && line.command != nullptr) status = SetFlags(flags, &line);
  if (!status.ok()) return status;
  return line;
}

absl::Status SetFlag(CommandLine* line, std::string_view flag, const std::string& value,
                     const std::function<absl::Status()>& use) {
  const FlagRow* row = FindFlag(*line->command, flag);
  absl::CommandLineFlag* target = row == nullptr ? nullptr : absl::FindCommandLineFlag(AbseilName(*row));
  if (target == nullptr) return UsageError(fmt::format("--{}", flag), "there is no such flag");
  const std::string before = target->CurrentValue();
  std::string error;
  if (!target->ParseFrom(row->shape == Shape::kList ? before + value + ListFlag::kEnd : value, &error)) {
    return UsageError(fmt::format("--{} {}", flag, value), Expected(*row));
  }
  const auto [given, is_new] = line->given.emplace(row->name);
  const absl::Status used = use();
  if (used.ok()) return used;
  target->ParseFrom(before, &error);
  if (is_new) line->given.erase(given);
  return used;
}

std::vector<std::string> FlagValues(const Command& command, std::string_view flag) {
  const FlagRow* row = FindFlag(command, flag);
  const absl::CommandLineFlag* found = row == nullptr ? nullptr : absl::FindCommandLineFlag(AbseilName(*row));
  if (found == nullptr) return {""};
  if (row->shape != Shape::kList) return {found->CurrentValue()};
  return found->TryGet<ListFlag>().value_or(ListFlag()).values;
}

}  // namespace xdscope::cli
