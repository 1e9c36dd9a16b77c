// TARGETs that are files: which words are, and what the flags of a command that connects come to for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/args/command_line.h"
#include "cli/args/type_argument.h"
#include "cli/flags/connect.h"
#include "cli/flags/options.h"
#include "lib/base/files.h"
#include "lib/base/status.h"
#include "lib/config/surroundings.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

// Returns true for a TARGET that names a file or a folder: "-", what is no address and exists, or has a slash or a
// suffix of discovery files. What is an address, or has a scheme, is none even where such a file exists: "./host:1" is.
bool NamesFiles(const std::string& target, const base::Files& files);

// Fails with INVALID_ARGUMENT for a TARGET that can be read once alone, which fetch does.
absl::Status CheckReadAgain(std::string_view target);

// Makes the options of a TARGET: of files where NamesFiles() says so, else of servers, each asked for what it is there
// for. Fails as ReadFileFlags() and ReadConnectFlags() do.
enum class TargetKind : std::uint8_t { kServers, kFiles };
absl::StatusOr<ConnectResult> ReadTargetFlags(const CommandLine& line, const std::string& target, TargetKind kind,
                                              const config::Surroundings& surroundings, wire::Types& types,
                                              AskedServers asked = AskedServers::kAll);

// Fails with INVALID_ARGUMENT, "WORD: what", for a type that nobody is asked for, or that has no method where it is
// asked, where everything would be asked for by a client that never does, and for --nack-message where nothing would be
// refused. Files have whatever they have. No types
// stand for the whole configuration of the node.
absl::Status CheckAsked(std::span<const TypeRequest> requests, const ConnectOptions& options);

// Makes the options of a TARGET that names files; the node is the default one, for a bootstrap that is made of them.
// Fails with INVALID_ARGUMENT, "--FLAG: what", for a flag that was typed and has no effect where nobody is asked.
absl::StatusOr<ConnectOptions> ReadFileFlags(const CommandLine& line, const std::string& target,
                                             const config::Surroundings& surroundings, wire::Types& types);

}  // namespace xdscope::cli
