// `validate --watch`: judges files again whenever they change, until it is told to end.
#pragma once

#include "cli/commands/validate/validate.h"

namespace xdscope::cli {

// Returns the exit code of the last judgement. 3: the system has no watch left.
int RunValidateWatch(const ValidateOptions& options, LoadedTypes& types, Streams& streams);

}  // namespace xdscope::cli
