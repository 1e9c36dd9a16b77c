// How it is asked and answered: variant, API version, the kind of client, schema files, messages. Part of
// connect_flags.h.
#pragma once

#include <optional>

#include "cli/options.h"
#include "cli/streams.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

struct CommandLine;

// All of the options that is not the channel or the node. INVALID_ARGUMENT, "--FLAG VALUE: what".
absl::Status ReadProtocolFlags(const CommandLine& line, const std::optional<config::Bootstrap>& bootstrap,
                               const Streams& streams, ConnectOptions* options);

}  // namespace xdscope::cli
