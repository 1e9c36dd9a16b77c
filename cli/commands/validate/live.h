// `validate` with a control plane: fetches all that it has for a node, and judges it as files are judged.
#pragma once

#include "cli/commands/validate/validate.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

// Returns what is wrong with what was fetched: a file for each type, "WHERE cds", in which a finding has no line. What
// the server did wrong in sending it is there too. `where`: the server, as messages name it.
std::vector<client::JudgedFile> JudgeFetched(const client::Outcome& outcome, const std::string& where,
                                             rules::SetOptions set, wire::Types& types);

// Fetches, judges, prints, and returns the exit code: that of `fetch` where the server could not be reached or was
// lost, else that of RunValidate(). Demands ValidateOptions::live.
int RunValidateLive(const ValidateOptions& options, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
