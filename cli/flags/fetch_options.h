// What a command line of `fetch` says once it is understood; `validate` asks a control plane in the same way.
#pragma once

#include <string>
#include <vector>

#include "cli/args/type_argument.h"
#include "cli/flags/options.h"
#include "lib/client/fetch.h"

namespace xdscope::cli {

struct FetchOptions {
  ConnectOptions connect;
  OutputOptions output;
  std::vector<TypeRequest> types;  // in the order typed; none: the whole configuration, roots LDS and CDS
  client::FetchSettings fetch;     // wait, settle, keep_responses (--raw) and follow: decided by --follow or no TYPE
  bool fail_on_absent = false;     // names that were only referred to count too (exit 1)
  bool findings_said = false;      // somebody else says what was found in the resources
  std::string out_dir;             // where files go in place of stdout; empty: nowhere
};

}  // namespace xdscope::cli
