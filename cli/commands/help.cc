#include "cli/commands/help.h"

#include <fmt/format.h>

#include <vector>

#include "cli/args/help.h"
#include "cli/args/nearest.h"
#include "cli/commands/all.h"
#include "cli/console/report.h"

namespace xdscope::cli {

int RunHelp(const CommandLine& line, Streams& streams) {
  if (line.words.empty()) {
    streams.out.write(Overview(AllCommands(), streams.out.width));
    return ToInt(ExitCode::kDone);
  }
  if (line.words.size() > 1) {
    return ReportUsage(base::Error(absl::StatusCode::kInvalidArgument, line.words[1] + ": help takes one COMMAND"),
                       streams);
  }
  const std::string& name = line.words.front();
  if (const Command* command = FindCommand(AllCommands(), name)) {
    streams.out.write(HelpOn(*command, streams.out.width));
    return ToInt(ExitCode::kDone);
  }
  std::vector<std::string_view> names;
  for (const Command& command : AllCommands()) names.push_back(command.name);
  const std::string what = fmt::format("{}: there is no such command{}", name, DidYouMean(name, names));
  return ReportUsage(base::Error(absl::StatusCode::kInvalidArgument, what), streams);
}

}  // namespace xdscope::cli
