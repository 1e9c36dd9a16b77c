// The address that a server listens on, and why the system refuses it: gRPC only says that it did.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/transport/target.h"

namespace xdscope::transport {

// "HOST:PORT", "[::1]:PORT", ":PORT" (every address), "unix:/path". INVALID_ARGUMENT for anything else.
absl::StatusOr<Target> ParseListenAddress(std::string_view text);

// Tries to listen, and stops at once. OK, or UNAVAILABLE with the system's reason.
absl::Status TryToListen(const Target& address);

}  // namespace xdscope::transport
