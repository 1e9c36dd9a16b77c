// The bootstrap with which Envoy runs on the files of an OfflinePlan.
#pragma once

#include <string>
#include <string_view>

#include "cli/commands/fetch/offline_plan.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

struct BootstrapText {
  std::string yaml;
  bool secret = false;  // the node's metadata has something that is to be shown to nobody
};

// Makes the bootstrap. `folder` is the absolute path of the plan's files, `node` the wire bytes that the server was
// asked with: who the node is and where stays, what it can do is the proxy's own to say. Redacts the node's secrets
// unless `show_secrets`.
BootstrapText MakeBootstrap(const OfflinePlan& plan, std::string_view folder, std::string_view node, bool show_secrets,
                            wire::Types& types);

}  // namespace xdscope::cli
