// The flags of every command that connects, and what they come to together with TARGET, bootstrap, node file and
// environment: one complete ConnectOptions, or why not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/args/command_line.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Holds the TARGET and the TYPE words of a line. The first word is a TYPE if it can be one, else the TARGET; --target
// takes that place.
struct TargetAndTypes {
  std::string target;  // empty: none was typed
  std::vector<std::string> types;
};
TargetAndTypes SplitWords(const CommandLine& line);

struct ConnectResult {
  ConnectOptions options;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Which of a bootstrap's servers are asked: each for what it is there for, or its main one for everything, where a
// person talks with one alone.
enum class AskedServers : std::uint8_t { kAll, kMain };

// Checks everything, reads files and connects to nothing. Fails with INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target, AskedServers asked,
                                               const config::Surroundings& surroundings, wire::Types& types);

}  // namespace xdscope::cli
