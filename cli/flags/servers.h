// A bootstrap with several servers, as options: who is asked for what, and who stands in for whom. Part of connect.h.
#pragma once

#include <string>
#include <vector>

#include "cli/args/command_line.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"
#include "lib/config/bootstrap.h"

namespace xdscope::cli {

// Fills what of the options is about several servers: sources, routes, source_names, roots. Leaves sources and routes
// empty where it all comes to the main server alone. The rest of the options must be there: a --variant and an --api
// that were typed count for each server. Adds to `notes` which servers are not asked, and what of a certificate is not
// verified. Fails with INVALID_ARGUMENT, "FILE:LINE: path: what" or "--FLAG VALUE: what".
absl::Status ReadServers(const CommandLine& line, const config::Bootstrap& bootstrap,
                         const config::Surroundings& surroundings, ConnectOptions* options,
                         std::vector<std::string>* notes);

// Adds to `notes` what of the server's certificate is not verified with this TLS, as people expect more of that word.
void NoteWhatIsNotVerified(const config::ServerConfig& server, const std::optional<transport::Tls>& tls,
                           std::vector<std::string>* notes);

}  // namespace xdscope::cli
