// The control planes that a gRPC xDS bootstrap names (gRFC A27, A47). For the .cc files of this folder.
#pragma once

#include "lib/config/server_table.h"
#include "lib/config/setting.h"
#include "lib/config/surroundings.h"

namespace xdscope::config {

// Adds the servers of xds_servers and of each authority, and their rows; an authority without servers has those of
// xds_servers. What is wrong with a server is in its status.
void ReadGrpcServers(const Setting& root, const Surroundings& surroundings, ServerTable* table);

// Reads a target as a bootstrap spells it. INVALID_ARGUMENT, "FILE:LINE: path: what".
absl::Status ReadServerUri(const Setting& uri, transport::ChannelSettings* channel);

}  // namespace xdscope::config
