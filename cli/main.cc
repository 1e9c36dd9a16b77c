// The xdscope program: gathers what a run needs and leaves with its code.
#include <exception>
#include <string>
#include <vector>

#include "cli/report.h"
#include "cli/run.h"
#include "cli/streams.h"

int main(int argc, char** argv) {
  namespace cli = xdscope::cli;
  std::string out_error;
  cli::Streams streams = cli::ProcessStreams(&out_error);
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const int code = cli::Run(arguments, streams);
    return out_error.empty() ? code : cli::ReportOutputError(out_error, streams);
  } catch (const std::exception& error) {  // out of memory, or our bug
    return cli::ReportBug(error.what(), streams);
  }
}
