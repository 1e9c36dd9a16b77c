// How it is asked and answered: variant, API version, the kind of client, messages. Part of connect.h.
#pragma once

#include <optional>
#include <span>

#include "cli/args/command.h"
#include "cli/args/command_line.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Returns the rows of these flags, for the table of commands.
std::span<const FlagRow> ProtocolFlags();

// Returns what --api says. Fails with INVALID_ARGUMENT, "--api VALUE: what".
absl::StatusOr<types::Api> ReadApiFlag();

// Fills what of the options is neither the channel nor the node. Fails with INVALID_ARGUMENT, "--FLAG VALUE: what".
absl::Status ReadProtocolFlags(const CommandLine& line, const std::optional<config::Bootstrap>& bootstrap,
                               ConnectOptions* options);

}  // namespace xdscope::cli
