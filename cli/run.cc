#include "cli/run.h"

#include <fmt/format.h>

#include "cli/args/command_line.h"
#include "cli/args/help.h"
#include "cli/args/version.h"
#include "cli/commands/all.h"
#include "cli/console/report.h"

namespace xdscope::cli {

int Run(std::span<const std::string> arguments, Streams& streams) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(AllCommands(), arguments);
  if (!line.ok()) return ReportUsage(line.status(), streams);
  if (line->version) {
    streams.out.write(fmt::format("xdscope {}\n", kVersion));
    return ToInt(ExitCode::kDone);
  }
  if (line->help) {
    const int width = streams.out.width;
    streams.out.write(line->command == nullptr ? Overview(AllCommands(), width) : HelpOn(*line->command, width));
    return ToInt(ExitCode::kDone);
  }
  if (line->command == nullptr) {
    return ReportUsage(base::Error(absl::StatusCode::kInvalidArgument, "COMMAND: is missing; see xdscope help"),
                       streams);
  }
  return line->command->run(*line, streams);
}

}  // namespace xdscope::cli
