// The flags of every command that connects, and what they come to together with TARGET, bootstrap, node file and
// environment: one complete ConnectOptions, or why not.
#pragma once

#include <string>
#include <vector>

#include "cli/args/command_line.h"
#include "cli/flags/settings.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// TARGET and TYPE words of a line. The first word is a TYPE if it is one, else the TARGET; --target takes that place.
struct Words {
  std::string target;  // empty: none was typed
  std::vector<std::string> types;
};
Words SplitWords(const CommandLine& line);

struct ConnectResult {
  ConnectOptions options;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Everything checked, files read, nothing connected. INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target,
                                               const config::Surroundings& surroundings);

}  // namespace xdscope::cli
