// The address that a server listens on, and why the system refuses it: gRPC only says that it did.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/transport/target.h"

namespace xdscope::transport {

// Reads "HOST:PORT", "[::1]:PORT", ":PORT" (every address) or "unix:/path". INVALID_ARGUMENT for anything else.
absl::StatusOr<Target> ParseListenAddress(std::string_view text);

// Listens for a moment, to see whether the system allows it. UNAVAILABLE with the system's reason where it does not.
absl::Status TryToListen(const Target& address);

}  // namespace xdscope::transport
