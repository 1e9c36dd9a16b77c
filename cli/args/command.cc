#include "cli/args/command.h"

#include <array>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"

namespace xdscope::cli {
namespace {

constexpr std::array kCommonFlags = {
    FlagRow::Switch().Letter('h').Named("help", "Say what the command does and which flags it takes."),
    FlagRow::Switch().Named("version", "Print the version."),
};

template <typename Matches>
const FlagRow* FindRow(const Command& command, const Matches& matches) {
  for (const FlagRow& row : kCommonFlags) {
    if (matches(row)) return &row;
  }
  for (const FlagGroup& group : command.groups) {
    for (const FlagRow& row : group.flags) {
      if (matches(row)) return &row;
    }
  }
  return nullptr;
}

}  // namespace

const Command* FindCommand(std::span<const Command> commands, std::string_view name) {
  for (const Command& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::span<const FlagRow> CommonFlags() {
  return kCommonFlags;
}

const FlagRow* FindFlag(const Command& command, std::string_view name) {
  return FindRow(command, [name](const FlagRow& row) { return row.name == name; });
}

const FlagRow* FindFlag(const Command& command, char letter) {
  return FindRow(command, [letter](const FlagRow& row) { return row.letter == letter; });
}

std::string AbseilName(const FlagRow& flag) {
  std::string name(flag.behind.empty() ? flag.name : flag.behind);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

std::string FlagDefault(const FlagRow& row) {
  if (!row.shown_default.empty()) return std::string(row.shown_default);
  const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(AbseilName(row));
  if (flag == nullptr || row.shape != Shape::kValue) return {};
  return flag->DefaultValue();
}

}  // namespace xdscope::cli
