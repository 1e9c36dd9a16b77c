// Where to connect and how: TARGET, TLS, headers, time-outs, bootstrap. Part of connect.h.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/flags/headers.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> ConnectionFlags();

// Whether there is a bootstrap: --bootstrap names it, or, where there is no TARGET, gRPC's variables of the
// environment.
struct BootstrapFrom {
  bool exists = false;
  std::string found = {};  // in the environment: "FILE (VARIABLE)"
};
BootstrapFrom WhereBootstrapIs(const std::string& target, const Environment& environment);

// Reads that bootstrap; returns nullopt where there is none.
absl::StatusOr<std::optional<config::Bootstrap>> ReadBootstrapOf(const BootstrapFrom& from,
                                                                 const config::Surroundings& surroundings,
                                                                 wire::Types& types);

// A server as messages name it, and the way to it.
struct ChannelRead {
  std::string where;
  transport::ChannelSettings channel;
};
// Reads the way to one server. `target` is the word of the line; where it is empty that of `server`, one of the
// bootstrap's or nullptr, counts. Whatever else is said of a server in a bootstrap counts too, flags over it.
absl::StatusOr<ChannelRead> ReadChannelFlags(const CommandLine& line, const std::string& target,
                                             const config::ServerConfig* server,
                                             const config::Surroundings& surroundings);

// Returns what --max-time says; 0: there is no limit.
std::chrono::milliseconds MaxTimeFlag();
// Reads --poll and --error-detail into the options.
void ReadPollFlags(ConnectOptions* options);
// Returns the word that --target gives; empty where it gives none.
std::string TargetFlag();
// Returns true where --insecure says that nothing is to be verified.
bool InsecureFlag();

}  // namespace xdscope::cli
