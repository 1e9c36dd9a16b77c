#include "cli/commands/repl/history.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

void TypedLines::Add(std::string line) {
  size_ += line.size();
  lines_.push_back(std::move(line));
  for (; size_ > kMost && lines_.size() > 1; ++dropped_) {
    size_ -= lines_.front().size();
    lines_.pop_front();
  }
}

std::string HistoryPath(const config::Surroundings& surroundings) {
  const std::string state = surroundings.environment("XDG_STATE_HOME").value_or("");
  if (state.starts_with('/')) return state + "/xdscope/history";
  const std::string home = surroundings.environment("HOME").value_or("");
  return home.empty() ? "" : home + "/.local/state/xdscope/history";
}

TypedLines ReadHistory(const std::string& path, const config::Surroundings& surroundings) {
  constexpr std::size_t kMost = 1000;
  if (path.empty()) return {};
  const absl::StatusOr<std::string> text = surroundings.read_file(path, config::kMostOfFile);
  if (!text.ok()) return {};
  std::vector<std::string> lines = absl::StrSplit(*text, '\n', absl::SkipEmpty());
  TypedLines latest;
  const std::size_t first = lines.size() - std::min(lines.size(), kMost);
  for (std::size_t i = first; i < lines.size(); ++i) latest.Add(std::move(lines[i]));
  return latest;
}

}  // namespace xdscope::cli
