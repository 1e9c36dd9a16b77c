// The command line of `xdscope fetch`: its own flags, and all of them together as FetchOptions.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/flags/fetch_options.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// Returns the rows of the flags that `fetch` alone has, for the table of commands.
std::span<const FlagRow> FetchFlags();

extern const std::string_view kFetchDetails;  // for help

struct FetchLine {
  FetchOptions settings;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Reads a line whole and checks it. Fails with INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<FetchLine> ReadFetchLine(const CommandLine& line, const Streams& streams, wire::Types& types);

// Reads the line, fetches and returns the exit code.
int RunFetchLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
