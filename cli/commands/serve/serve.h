// `xdscope serve`: a control plane from a folder of discovery files, until SIGINT or SIGTERM.
#pragma once

#include <string>
#include <vector>

#include "cli/console/streams.h"
#include "lib/schema/schema.h"
#include "lib/transport/server.h"

namespace xdscope::cli {

struct ServeOptions {
  std::string folder;
  transport::ServerSettings server;  // address, TLS; files already read
  bool v2 = false;
  std::vector<schema::SchemaFile> schemas;
  int verbosity = 0;
  bool quiet = false;
};

// Runs until it is told to end and returns the exit code. What went wrong is on streams.err.
int RunServe(const ServeOptions& settings, Streams& streams);

}  // namespace xdscope::cli
