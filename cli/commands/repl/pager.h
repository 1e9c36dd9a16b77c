// Output that is longer than the screen, through the reader's own pager.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/loop.h"

namespace xdscope::cli {

// Runs the pager (a command line for the shell) on this text, and the loop while it runs, so that streams go on.
// Ends it where `ended` is true when somebody stops the loop. Returns false where it could not be run; then nothing was
// shown.
bool RunPager(base::Loop& loop, const std::string& command, std::string_view text, const bool& ended);

}  // namespace xdscope::cli
