#include "cli/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/args/command.h"
#include "cli/args/help.h"
#include "cli/args/version.h"
#include "cli/commands/all.h"
#include "lib/format/printable.h"
#include "tests/unit/cli/test_streams.h"

namespace xdscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran RunIt(const std::vector<std::string>& arguments) {
  TestStreams strings;
  Streams streams = strings.Get();
  const int code = Run(arguments, streams);
  return {code, strings.out, strings.err};
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

// All flags of a command, common ones too.
std::vector<FlagRow> AllFlags(const Command& command) {
  std::vector<FlagRow> rows(CommonFlags().begin(), CommonFlags().end());
  for (const FlagGroup& group : command.groups) rows.insert(rows.end(), group.flags.begin(), group.flags.end());
  return rows;
}

TEST(Run, SaysItsVersion) {
  const Ran ran = RunIt({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "xdscope " + std::string(kVersion) + "\n");
}

TEST(Run, AWrongLineIsOneLineAndExitTwo) {
  for (const std::vector<std::string>& line : {std::vector<std::string>{},
                                               {"fecth"},
                                               {"fetch", "--bogus"},
                                               {"fetch"},
                                               {"help", "x"},
                                               {"help", "fetch", "x"}}) {
    const Ran ran = RunIt(line);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("xdscope: "));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Help, KnowsEveryCommandAndEveryFlagOfIt) {
  for (const Command& command : AllCommands()) {
    EXPECT_THAT(RunIt({"help"}).out, HasSubstr(std::string(command.name)));
    const Ran help = RunIt({"help", std::string(command.name)});
    EXPECT_EQ(help.code, 0);
    for (const FlagGroup& group : command.groups) {
      for (const FlagRow& row : group.flags) EXPECT_THAT(help.out, HasSubstr("--" + std::string(row.name)));
    }
    EXPECT_EQ(RunIt({std::string(command.name), "--help"}).out, help.out);
  }
}

TEST(Help, ShowsDefaults) {
  const std::string help = RunIt({"help", "fetch"}).out;
  EXPECT_THAT(help, HasSubstr("[15s]"));
  EXPECT_THAT(help, HasSubstr("[yaml]"));
  EXPECT_THAT(help, HasSubstr("[xdscope]"));
}

TEST(Help, FitsTheTerminal) {
  for (const int width : {60, 80, 100, 200}) {
    std::istringstream lines(HelpOn(*FindCommand(AllCommands(), "fetch"), width));
    std::string line;
    while (std::getline(lines, line)) {
      EXPECT_LE(format::Columns(line), static_cast<std::size_t>(std::min(width, 100))) << line;
      EXPECT_THAT(line, Not(testing::EndsWith(" ")));
    }
  }
}

TEST(Completions, KnowEveryCommandAndFlag) {
  const std::string bash = Contents("completions/xdscope.bash");
  const std::string zsh = Contents("completions/_xdscope");
  const std::string fish = Contents("completions/xdscope.fish");
  for (const Command& command : AllCommands()) {
    for (const std::string& file : {bash, zsh, fish}) EXPECT_THAT(file, HasSubstr(std::string(command.name)));
    for (const FlagRow& row : AllFlags(command)) {
      const std::string name(row.name);
      EXPECT_THAT(bash, HasSubstr("--" + name + (row.value.empty() ? "" : "=")));
      EXPECT_THAT(zsh, HasSubstr("--" + name + (row.value.empty() ? "" : "=")));
      EXPECT_THAT(fish, HasSubstr("-l " + name + " "));
      if (row.value.find('|') == std::string_view::npos || row.value.find('{') != std::string_view::npos) continue;
      std::string words(row.value);
      std::replace(words.begin(), words.end(), '|', ' ');
      for (const std::string& file : {bash, zsh, fish}) EXPECT_THAT(file, HasSubstr(words)) << name;
    }
  }
}

TEST(Completions, KnowNoFlagThatDoesNotExist) {
  std::set<std::string> known;
  for (const Command& command : AllCommands()) {
    for (const FlagRow& row : AllFlags(command)) known.emplace(row.name);
  }
  const std::string bash = Contents("completions/xdscope.bash");
  for (std::size_t at = bash.find("--"); at != std::string::npos; at = bash.find("--", at + 2)) {
    const std::size_t end = bash.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at + 2);
    std::string name = bash.substr(at + 2, end - at - 2);
    if (name.starts_with("no-")) name.erase(0, 3);
    EXPECT_TRUE(name.empty() || known.contains(name)) << name;
  }
}

TEST(ManPages, KnowEveryCommandAndFlag) {
  const std::string main = Contents("man/xdscope.1");
  for (const Command& command : AllCommands()) {
    EXPECT_THAT(main, HasSubstr(std::string(command.name)));
    if (command.groups.empty()) continue;
    const std::string page = Contents("man/xdscope-" + std::string(command.name) + ".1");
    for (const FlagRow& row : AllFlags(command)) {
      std::string escaped = "\\-\\-";
      for (const char c : row.name) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(escaped));
    }
  }
}

}  // namespace
}  // namespace xdscope::cli
