// Channel over gRPC. Nothing of gRPC is started, or even initialised, before ConnectGrpc().
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "lib/base/loop.h"
#include "lib/transport/settings.h"
#include "lib/transport/stream.h"

namespace xdscope::transport {

// Returns the settings as ConnectGrpc() takes them, whatever the target. INVALID_ARGUMENT for a header or a certificate
// that can never work; NOT_FOUND when the system's certificate authorities are wanted and there are none.
absl::StatusOr<ChannelSettings> CheckedForGrpc(ChannelSettings settings);

// Makes a channel that connects when its first stream is opened. Switches gRPC's own log off for the whole program.
// INVALID_ARGUMENT for a target that can never work; fails else as CheckedForGrpc(). The loop must outlive the channel.
absl::StatusOr<std::unique_ptr<Channel>> ConnectGrpc(base::Loop& loop, ChannelSettings settings);

}  // namespace xdscope::transport
