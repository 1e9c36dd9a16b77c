// The lines of earlier conversations, in a file of the person who typed them.
#pragma once

#include <string>
#include <vector>

#include "cli/console/streams.h"

namespace xdscope::cli {

// Returns the path of the file, $XDG_STATE_HOME/xdscope/history; empty where the environment names no home.
std::string HistoryPath(const config::Surroundings& surroundings);

// Returns the latest lines, oldest first; none where the file cannot be read.
std::vector<std::string> ReadHistory(const std::string& path, const config::Surroundings& surroundings);

}  // namespace xdscope::cli
