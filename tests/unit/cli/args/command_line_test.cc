#include "cli/args/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "cli/args/command.h"
#include "cli/commands/all.h"

namespace xdscope::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CommandLineTest : public testing::Test {
 protected:
  static absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& arguments) {
    return ParseCommandLine(AllCommands(), arguments);
  }
  static std::string ErrorOf(const std::vector<std::string>& arguments) {
    const absl::StatusOr<CommandLine> line = Parse(arguments);
    return line.ok() ? "no error" : std::string(base::Message(line.status()));
  }
  static std::string ValueOf(std::string_view flag) {
    return absl::FindCommandLineFlag(AbseilName(FlagRow::Switch().Named(flag, "")))->CurrentValue();
  }
};

TEST_F(CommandLineTest, OneFlagMayBeWrittenInManyWays) {
  const std::pair<std::vector<std::string>, std::string_view> cases[] = {
      {{"--node-id", "a"}, "node-id"},
      {{"--node_id", "a"}, "node-id"},
      {{"--node-id=a"}, "node-id"},
      {{"--node_id=a"}, "node-id"},
      {{"-oa"}, "output"},
      {{"-o", "a"}, "output"},
      {{"-o=a"}, "output"},
      {{"--output=a"}, "output"},
  };
  for (const auto& [arguments, flag] : cases) {
    std::vector<std::string> all = {"fetch"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const absl::StatusOr<CommandLine> line = Parse(all);
    ASSERT_TRUE(line.ok()) << arguments[0] << ": " << line.status();
    EXPECT_EQ(ValueOf(flag), "a") << arguments[0];
    EXPECT_TRUE(line->Given(flag));
    EXPECT_THAT(line->words, IsEmpty());
  }
}

TEST_F(CommandLineTest, FlagsMayStandAnywhere) {
  const absl::StatusOr<CommandLine> line =
      Parse({"-v", "--node-id", "fetch", "fetch", "h:1", "-ojson", "cds", "--tls"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command->name, "fetch");
  EXPECT_THAT(line->words, ElementsAre("h:1", "cds"));
  EXPECT_EQ(ValueOf("node-id"), "fetch");
  EXPECT_EQ(ValueOf("tls"), "true");
  EXPECT_THAT(line->given, ElementsAre("node-id", "output", "tls", "verbose"));
}

TEST_F(CommandLineTest, AFlagMayBeSetLater) {
  absl::StatusOr<CommandLine> line = Parse({"repl", "--metadata", "a=1"});
  ASSERT_TRUE(line.ok()) << line.status();
  const auto use = [] { return absl::OkStatus(); };
  EXPECT_EQ(SetFlag(&*line, "metadata", "b=2", use), absl::OkStatus());
  EXPECT_EQ(SetFlag(&*line, "output", "json", use), absl::OkStatus());
  EXPECT_THAT(FlagValues(*line->command, "metadata"), ElementsAre("a=1", "b=2"));
  EXPECT_THAT(FlagValues(*line->command, "output"), ElementsAre("json"));
  EXPECT_THAT(line->given, ElementsAre("metadata", "output"));
}

TEST_F(CommandLineTest, AFlagThatCannotBeUsedIsWhatItWasBefore) {
  absl::StatusOr<CommandLine> line = Parse({"repl", "--metadata", "a=1"});
  ASSERT_TRUE(line.ok()) << line.status();
  const auto refuse = [] { return absl::InvalidArgumentError("no"); };
  EXPECT_EQ(base::Message(SetFlag(&*line, "metadata", "b:={", refuse)), "no");
  EXPECT_EQ(base::Message(SetFlag(&*line, "output", "odd", refuse)), "no");
  EXPECT_THAT(FlagValues(*line->command, "metadata"), ElementsAre("a=1"));
  EXPECT_THAT(FlagValues(*line->command, "output"), ElementsAre("yaml"));
  EXPECT_THAT(line->given, ElementsAre("metadata"));
}

TEST_F(CommandLineTest, TwoDashesEndTheFlags) {
  const absl::StatusOr<CommandLine> line = Parse({"fetch", "--", "--tls", "-", "--"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->words, ElementsAre("--tls", "-", "--"));
  EXPECT_FALSE(line->Given("tls"));
}

TEST_F(CommandLineTest, ADashAloneIsAWord) {
  EXPECT_THAT(Parse({"fetch", "-"})->words, ElementsAre("-"));
}

TEST_F(CommandLineTest, LettersMayStandTogether) {
  ASSERT_TRUE(Parse({"fetch", "-vvq", "-v", "-qoname"}).ok());
  EXPECT_EQ(ValueOf("verbose"), "3");
  EXPECT_EQ(ValueOf("quiet"), "true");
  EXPECT_EQ(ValueOf("output"), "name");
}

TEST_F(CommandLineTest, SwitchesMayBeNegatedOrGivenAValue) {
  ASSERT_TRUE(Parse({"fetch", "--no-follow", "--no_tls", "--raw=true", "--plaintext=false"}).ok());
  EXPECT_EQ(ValueOf("follow"), "false");
  EXPECT_EQ(ValueOf("tls"), "false");
  EXPECT_EQ(ValueOf("raw"), "true");
  EXPECT_EQ(ValueOf("plaintext"), "false");
}

TEST_F(CommandLineTest, TheLastOfASingleFlagCounts) {
  ASSERT_TRUE(Parse({"fetch", "-ojson", "-oyaml"}).ok());
  EXPECT_EQ(ValueOf("output"), "yaml");
}

TEST_F(CommandLineTest, ListsKeepEveryValueEvenAnEmptyOne) {
  ASSERT_TRUE(Parse({"fetch", "-H", "a: 1", "--header=b: 2,3", "--header", ""}).ok());
  EXPECT_EQ(ValueOf("header"), std::string("a: 1\0b: 2,3\0\0", 13));
}

TEST_F(CommandLineTest, DurationsAreSecondsWithoutAUnit) {
  const std::pair<std::string, std::string> good[] = {{"1.5s", "1.5s"}, {"200ms", "200ms"}, {"2m", "2m"},
                                                      {"2", "2s"},      {"0.25", "250ms"},  {"1m30s", "1m30s"},
                                                      {"0", "0"},       {"1h", "1h"}};
  for (const auto& [text, value] : good) {
    ASSERT_TRUE(Parse({"fetch", "--wait", text}).ok()) << text;
    EXPECT_EQ(ValueOf("wait"), value) << text;
  }
  for (const std::string bad : {"", "x", "-1", "-1s", "1,5", "5 s", "inf", "nan", "1e30", "9999999999999999999h"}) {
    EXPECT_THAT(ErrorOf({"fetch", "--wait", bad}), HasSubstr("expected a duration such as 1.5s")) << bad;
  }
}

TEST_F(CommandLineTest, ErrorsNameTheThingAndTheNearestName) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"fecth"}, "fecth: there is no such command; did you mean fetch?"},
      {{"zzz"}, "zzz: there is no such command"},
      {{"fetch", "--variat", "ads"}, "--variat: fetch has no such flag; did you mean --variant?"},
      {{"fetch", "--Variant=ads"}, "--Variant: fetch has no such flag; did you mean --variant?"},
      {{"fetch", "--count", "3"}, "--count: fetch has no such flag"},
      {{"fetch", "-x"}, "-x: fetch has no such flag"},
      {{"fetch", "-vx"}, "-x: fetch has no such flag"},
      {{"fetch", "--no-output"}, "--no-output: fetch has no such flag; did you mean --output?"},
      {{"fetch", "--output"}, "--output: needs a value: yaml|json|ndjson|text|binary|table|tree|name"},
      {{"fetch", "-o"}, "-o: needs a value: yaml|json|ndjson|text|binary|table|tree|name"},
      {{"fetch", "--tls=perhaps"}, "--tls perhaps: expected true or false"},
      {{"fetch", "--no-tls=true"}, "--no-tls: takes no value"},
      {{"fetch", "--verbose=2"}, "--verbose: takes no value; give it again for more"},
      {{"help", "--wait", "2"}, "--wait: help has no such flag"},
      {{"--wait", "2", "help"}, "--wait: help has no such flag"},
  };
  for (const auto& [arguments, error] : cases) EXPECT_EQ(ErrorOf(arguments), error);
}

TEST_F(CommandLineTest, AFlagThatNamesAFileOrAServerHasAValue) {
  for (const std::string flag : {"--cacert", "--cert", "--key", "--bootstrap", "--node", "--schema", "--target"}) {
    EXPECT_THAT(ErrorOf({"fetch", flag, ""}), testing::StartsWith(flag + ": the value is empty; expected "));
    EXPECT_NE(ErrorOf({"fetch", flag + "="}), "no error");
    EXPECT_NE(ErrorOf({"fetch", flag, "", flag, "x"}), "no error") << "also where a later one would count";
  }
  for (const std::string flag : {"--tls-cert", "--tls-key", "--client-ca", "--schema"}) {
    EXPECT_THAT(ErrorOf({"serve", "d", flag, ""}), testing::StartsWith(flag + ": the value is empty; expected FILE"));
  }
  EXPECT_TRUE(Parse({"fetch", "--node-id", "", "--nack-message="}).ok()) << "an empty text is a text";
}

TEST_F(CommandLineTest, HelpAndVersionWinOverEverythingThatIsWrong) {
  EXPECT_TRUE(Parse({"fetch", "--help", "--bogus"})->help);
  EXPECT_TRUE(Parse({"-h"})->help);
  EXPECT_TRUE(Parse({"--version"})->version);
  EXPECT_EQ(Parse({"fetch", "-h"})->command->name, "fetch");
}

TEST_F(CommandLineTest, AValueMayLookLikeAFlagOrACommand) {
  ASSERT_TRUE(Parse({"fetch", "--node-id", "--tls", "--node-cluster", "fetch"}).ok());
  EXPECT_EQ(ValueOf("node-id"), "--tls");
  EXPECT_EQ(ValueOf("node-cluster"), "fetch");
}

TEST(CommandTable, EveryRowHasAnAbseilFlagWithAText) {
  for (const Command& command : AllCommands()) {
    for (const FlagGroup& group : command.groups) {
      for (const FlagRow& row : group.flags) {
        EXPECT_NE(absl::FindCommandLineFlag(AbseilName(row)), nullptr) << row.name;
        EXPECT_FALSE(row.text.empty()) << row.name;
        EXPECT_EQ(row.value.empty(), row.shape == Shape::kSwitch || row.shape == Shape::kCount) << row.name;
      }
    }
  }
}

#define TEST_FLAGS(FLAG) FLAG(int, of_the_test_alone, 7, Value("NUMBER", "seven").Letter('x'), "A number.")
constexpr std::array kTestRows = {TEST_FLAGS(XDSCOPE_FLAG_ROW)};

TEST(FlagRow, IsMadeOfOneDeclaration) {
  const FlagRow& row = kTestRows[0];
  EXPECT_EQ(row.name, "of-the-test-alone");
  EXPECT_EQ(row.letter, 'x');
  EXPECT_EQ(row.shape, Shape::kValue);
  EXPECT_EQ(row.value, "NUMBER");
  EXPECT_EQ(row.shown_default, "seven");
  EXPECT_EQ(row.text, "A number.");
}

TEST(CommandTable, NoFlagOrLetterStandsTwiceInOneCommand) {
  for (const Command& command : AllCommands()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    const auto check = [&](const FlagRow& row) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_TRUE(row.letter == 0 || letters.insert(row.letter).second) << row.letter;
    };
    for (const FlagRow& row : CommonFlags()) check(row);
    for (const FlagGroup& group : command.groups) {
      for (const FlagRow& row : group.flags) check(row);
    }
  }
}

}  // namespace
}  // namespace xdscope::cli
