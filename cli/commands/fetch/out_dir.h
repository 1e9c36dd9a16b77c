// `fetch --out-dir`: what came, as files that a proxy runs on offline.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/fetch/options.h"
#include "cli/console/streams.h"
#include "lib/base/status.h"
#include "lib/client/fetch.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Writes the files and returns what a person should know of them, lines for stderr of which the last says what was
// written.
// Demands a settings.output.format that files can have. UNAVAILABLE, "PATH: what": something could not be written; what
// was written before it stays.
absl::StatusOr<std::vector<std::string>> WriteOutDir(const client::Outcome& outcome, const FetchOptions& settings,
                                                     const resource::ThisServer& this_server, wire::Types& types,
                                                     const Streams& streams);

}  // namespace xdscope::cli
