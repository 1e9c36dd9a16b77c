// Where to connect and how: TARGET, TLS, headers, time-outs, bootstrap. Part of connect.h.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/flags/settings.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// For the table of commands.
std::span<const FlagRow> ConnectionFlags();

// What --bootstrap names, read; nullopt: no such flag.
absl::StatusOr<std::optional<config::Bootstrap>> ReadBootstrapFlag(const config::Surroundings& surroundings);

// `where`, `channel` and `max_time` of the options. `target` is the word of the line; empty: the bootstrap's.
absl::Status ReadChannelFlags(const CommandLine& line, const std::string& target,
                              const std::optional<config::Bootstrap>& bootstrap,
                              const config::Surroundings& surroundings, ConnectOptions* options);

// The word that --target gives; empty: none.
std::string TargetFlag();
// True when there is a --bootstrap, so that a line needs no TARGET.
bool HasBootstrap();

}  // namespace xdscope::cli
