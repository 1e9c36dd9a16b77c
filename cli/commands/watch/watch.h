// A run of `watch`: what a source says over time, as it changes, on stdout.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "cli/args/type_argument.h"
#include "cli/console/streams.h"
#include "cli/flags/options.h"
#include "cli/flags/schema.h"

namespace xdscope::cli {

struct WatchOptions {
  ConnectOptions connect;
  OutputOptions output;
  std::vector<client::Want> wants;  // the roots where no TYPE was typed
  bool typed = false;               // some TYPE was
  bool follow = false;
  bool full = false;                      // whole resources in place of differences
  bool fresh = false;                     // each new stream begins with nothing remembered
  std::uint64_t count = 0;                // ends after so many responses; 0: does not
  std::chrono::milliseconds duration{0};  // ends after this time; 0: does not
};

// Watches until it is over and returns the exit code.
int RunWatch(const WatchOptions& options, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
