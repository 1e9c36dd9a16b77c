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

TEST(History, StandsWhereTheStateOfProgramsDoes) {
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}})), "/s/xdscope/history");
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", ""}, {"HOME", "/h"}})), "/h/.local/state/xdscope/history");
  EXPECT_EQ(HistoryPath(With({{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}})), "/h/.local/state/xdscope/history");
  EXPECT_EQ(HistoryPath(With({})), "");
}

TEST(History, IsTheLatestLines) {
  EXPECT_THAT(ReadHistory("/h", With({}, "a\n\nb\nc")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ReadHistory("/none", With({})), IsEmpty());
  EXPECT_THAT(ReadHistory("", With({})), IsEmpty());
  std::string many;
  for (int i = 0; i < 1500; ++i) many += "line " + std::to_string(i) + "\n";
  const std::vector<std::string> lines = ReadHistory("/h", With({}, many));
  EXPECT_THAT(lines, SizeIs(1000));
  EXPECT_EQ(lines.back(), "line 1499");
}

}  // namespace
}  // namespace xdscope::cli
