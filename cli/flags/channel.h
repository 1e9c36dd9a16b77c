// Where to connect and how: TARGET, TLS, headers, time-outs, bootstrap. Part of connect.h.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> ConnectionFlags();

// Reads the file that --bootstrap names; returns nullopt where the flag is not given.
absl::StatusOr<std::optional<config::Bootstrap>> ReadBootstrapFlag(const config::Surroundings& surroundings,
                                                                   wire::Types& types);

// Fills `where`, `channel` and `max_time` of the options. `target` is the word of the line; where it is empty the
// bootstrap's counts.
absl::Status ReadChannelFlags(const CommandLine& line, const std::string& target,
                              const std::optional<config::Bootstrap>& bootstrap,
                              const config::Surroundings& surroundings, ConnectOptions* options);

// Returns what --max-time says; 0: there is no limit.
std::chrono::milliseconds MaxTimeFlag();
// Returns the word that --target gives; empty where it gives none.
std::string TargetFlag();
// Returns true where --insecure says that nothing is to be verified.
bool InsecureFlag();
// Returns true where there is a --bootstrap, so that a line needs no TARGET.
bool HasBootstrap();

}  // namespace xdscope::cli
