// The xdscope program: gathers what a run needs and leaves with its code.
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "cli/console/report.h"
#include "cli/console/streams.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  namespace cli = xdscope::cli;
  std::string out_error;
  cli::Streams streams = cli::ProcessStreams(&out_error);
  const auto final_code = [&](int code) {
    return out_error.empty() ? code : cli::ReportOutputError(out_error, streams);
  };
  streams.leave = [&](int code) { _exit(final_code(code)); };
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return final_code(cli::Run(arguments, streams));
  } catch (const std::exception& error) {  // out of memory, or our bug
    return cli::ReportBug(error.what(), streams);
  }
}
