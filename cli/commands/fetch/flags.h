// The command line of `xdscope fetch`: its own flags, and all of them together as FetchSettings.
#pragma once

#include <span>
#include <string_view>

#include "cli/args/command.h"
#include "cli/commands/fetch/settings.h"
#include "lib/base/status.h"

namespace xdscope::cli {

std::span<const FlagRow> FetchFlags();

extern const std::string_view kFetchDetails;  // for help

struct FetchLine {
  FetchSettings settings;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Complete and checked. INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<FetchLine> ReadFetchLine(const CommandLine& line, const Streams& streams);

// Reads the line and fetches. The exit code.
int RunFetchLine(const CommandLine& line, Streams& streams);

}  // namespace xdscope::cli
