// `xdscope serve`: a control plane from a folder of discovery files, which are judged too, until SIGINT or SIGTERM.
#pragma once

#include <string>

#include "cli/console/streams.h"
#include "cli/flags/options.h"
#include "cli/flags/schema.h"
#include "lib/files/folder.h"
#include "lib/server/control_plane.h"
#include "lib/transport/server.h"

namespace xdscope::cli {

struct ServeOptions : MessageOptions {
  std::string folder;
  transport::ServerSettings server;   // address, TLS; files already read
  std::string rest_listen;            // where REST is served, with the TLS of `server`; empty: nowhere
  std::chrono::milliseconds hold{0};  // a REST request waits so long for a change
  bool v2 = false;
  files::Strictness strictness = files::Strictness::kRefuse;
  bool strict = false;  // a folder in which there is an error is not served
  server::Faults faults;
};

// Runs until it is told to end and returns the exit code. What went wrong is on streams.err.
int RunServe(const ServeOptions& settings, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
