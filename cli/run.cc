#include "cli/run.h"

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/help.h"
#include "cli/report.h"
#include "cli/version.h"

namespace xdscope::cli {

int Run(std::span<const std::string> arguments, Streams& streams) {
  const absl::StatusOr<CommandLine> line = ParseCommandLine(arguments);
  if (!line.ok()) return ReportUsage(line.status(), streams);
  if (line->version) {
    streams.out.write(fmt::format("xdscope {}\n", kVersion));
    return ToInt(ExitCode::kDone);
  }
  if (line->help) {
    const int width = streams.out.width;
    streams.out.write(line->command == nullptr ? Overview(width) : HelpOn(*line->command, width));
    return ToInt(ExitCode::kDone);
  }
  if (line->command == nullptr) {
    return ReportUsage(base::Error(absl::StatusCode::kInvalidArgument, "COMMAND: is missing; see xdscope help"),
                       streams);
  }
  return line->command->run(*line, streams);
}

}  // namespace xdscope::cli
