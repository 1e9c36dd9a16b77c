// Why a conversation with a server failed: by the status where the server gave one, by a look at the port where there
// was no connection.
#pragma once

#include "cli/console/report.h"
#include "cli/flags/options.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// Finds out why a call failed. With `connected` the call was on a connection, so the status is what the server (or the
// loss of it) says. Without, the function probes the peer, which takes a second at most for one that is there.
Diagnosis Diagnose(const absl::Status& status, bool connected, const ConnectOptions& options);

}  // namespace xdscope::cli
