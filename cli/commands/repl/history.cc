#include "cli/commands/repl/history.h"

#include "absl/strings/str_split.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

std::string HistoryPath(const config::Surroundings& surroundings) {
  const std::string state = surroundings.environment("XDG_STATE_HOME").value_or("");
  if (state.starts_with('/')) return state + "/xdscope/history";
  const std::string home = surroundings.environment("HOME").value_or("");
  return home.empty() ? "" : home + "/.local/state/xdscope/history";
}

std::vector<std::string> ReadHistory(const std::string& path, const config::Surroundings& surroundings) {
  constexpr std::size_t kMost = 1000;
  if (path.empty()) return {};
  const absl::StatusOr<std::string> text = surroundings.read_file(path, config::kMostOfFile);
  if (!text.ok()) return {};
  std::vector<std::string> lines = absl::StrSplit(*text, '\n', absl::SkipEmpty());
  if (lines.size() > kMost) lines.erase(lines.begin(), lines.end() - kMost);
  return lines;
}

}  // namespace xdscope::cli
