// `fetch --out-dir`: what came, as files that a proxy runs on offline.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console/streams.h"
#include "cli/flags/fetch_options.h"
#include "lib/base/status.h"
#include "lib/client/fetch.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Writes the files and returns what a person should know of them, lines for stderr of which the last says what was
// written. Asks `interrupted` before each file.
// Demands a settings.output.format that files can have. UNAVAILABLE, "PATH: what": something could not be written;
// CANCELLED: it was interrupted, with the files that are written by then. What was written before stays.
absl::StatusOr<std::vector<std::string>> WriteOutDir(const client::Outcome& outcome, const FetchOptions& settings,
                                                     const resource::ThisServer& this_server, wire::Types& types,
                                                     const Streams& streams, const std::function<bool()>& interrupted);

}  // namespace xdscope::cli
