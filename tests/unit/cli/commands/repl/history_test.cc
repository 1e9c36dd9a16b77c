#include "cli/commands/repl/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace xdscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

config::Surroundings With(const std::map<std::string, std::string>& environment, const std::string& text = "") {
  return {[text](const std::string& path, std::size_t) -> absl::StatusOr<std::string> {
            if (path != "/h") return absl::InvalidArgumentError("no such file");
            return text;
          },
          [environment](std::string_view name) -> std::optional<std::string> {
            const auto found = environment.find(std::string(name));
            return found == environment.end() ? std::nullopt : std::optional(found->second);
          }};
}

TEST(TypedLines, KeepAsManyBytesAsTheyMay) {
  TypedLines lines;
  lines.Add("first");
  EXPECT_EQ(lines.dropped(), 0U);
  for (int i = 0; i < 5; ++i) lines.Add(std::string(TypedLines::kMost / 4, 'x'));
  EXPECT_EQ(lines.lines().size(), 4U);
  EXPECT_EQ(lines.dropped(), 2U);
  lines.Add(std::string(2 * TypedLines::kMost, 'y'));
  EXPECT_EQ(lines.lines().size(), 1U);
}

TEST(History, StandsWhereTheStateOfProgramsDoes) {
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}})), "/s/xdscope/history");
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", ""}, {"HOME", "/h"}})), "/h/.local/state/xdscope/history");
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}})), "/h/.local/state/xdscope/history");
  EXPECT_EQ(HistoryPath(With({})), "");
}

TEST(History, IsTheLatestLines) {
  EXPECT_THAT(ReadHistory("/h", With({}, "a\n\nb\nc")).lines(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ReadHistory("/none", With({})).lines(), IsEmpty());
  EXPECT_THAT(ReadHistory("", With({})).lines(), IsEmpty());
  std::string many;
  for (int i = 0; i < 1500; ++i) many += "line " + std::to_string(i) + "\n";
  const TypedLines lines = ReadHistory("/h", With({}, many));
  EXPECT_THAT(lines.lines(), SizeIs(1000));
  EXPECT_EQ(lines.lines().back(), "line 1499");
}

}  // namespace
}  // namespace xdscope::cli
