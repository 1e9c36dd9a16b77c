// The control planes that an Envoy bootstrap names. For the .cc files of this folder.
#pragma once

#include "lib/config/server_table.h"
#include "lib/config/setting.h"
#include "lib/config/surroundings.h"

namespace xdscope::config {

// Adds the servers of ads_config, lds_config and cds_config, a row for each of the three that is there, the names of
// static clusters, and a note for what nobody is asked for. What is wrong with a server is in its status.
void ReadEnvoyServers(const Setting& root, const Surroundings& surroundings, ServerTable* table);

}  // namespace xdscope::config
