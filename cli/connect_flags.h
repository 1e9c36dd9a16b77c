// The flags of every command that connects, and what they come to together with TARGET, bootstrap, node file and
// environment: one complete ConnectOptions, or why not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command_table.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "lib/base/status.h"

namespace xdscope::cli {

// For the command table, group by group.
std::span<const FlagRow> ConnectionFlags();
std::span<const FlagRow> NodeFlags();
std::span<const FlagRow> ProtocolFlags();
std::span<const FlagRow> MessageFlags();

// TARGET and TYPE words of a line. The first word is a TYPE if it is one, else the TARGET; --target takes that place.
struct Words {
  std::string target;  // empty: none was typed
  std::vector<std::string> types;
};
Words SplitWords(const CommandLine& line);

struct ConnectResult {
  ConnectOptions options;
  std::vector<std::string> notes;  // lines for stderr, unless -q
};

// Everything checked, files read, nothing connected. INVALID_ARGUMENT, "WHERE: what".
absl::StatusOr<ConnectResult> ReadConnectFlags(const CommandLine& line, const std::string& target,
                                               const Streams& streams);

// -q and -v, which matter before anything else is read.
bool IsQuiet();
int Verbosity();

}  // namespace xdscope::cli
