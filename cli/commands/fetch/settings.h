// What a command line of `fetch` says once it is understood.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/args/type_argument.h"
#include "cli/flags/settings.h"

namespace xdscope::cli {

struct FetchOptions {
  std::chrono::milliseconds wait{15000};  // for the first response of each type, and for a name
  std::chrono::milliseconds settle{300};  // quiet that ends a delta wildcard
  bool follow = false;                    // references; decided (--follow, --no-follow, or no TYPE at all)
  bool fail_on_absent = false;            // names that were only referred to count too (exit 1)
  bool raw = false;                       // the responses as they came
  std::string out_dir;                    // where files go in place of stdout; empty: nowhere
};

struct FetchSettings {
  ConnectOptions connect;
  OutputOptions output;
  FetchOptions fetch;
  std::vector<TypeRequest> types;  // in the order typed; none: the whole configuration, roots LDS and CDS
};

}  // namespace xdscope::cli
