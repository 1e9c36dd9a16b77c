// What refers to what, as a tree: listeners, their routes, the clusters behind them, the endpoints of those, secrets
// beside what uses them.
#pragma once

#include <vector>

#include "lib/format/table.h"
#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"

namespace xdscope::cli {

// Makes the tree. Its roots are the listeners and whatever nothing else refers to. A resource that several refer to
// shows its own references at the first place only. What is referred to and not there is marked; a note stands in place
// of what is more than 100 levels deep.
std::vector<format::TreeNode> TreeOf(const resource::Snapshot& snapshot, resource::ReferenceFinder& references);

}  // namespace xdscope::cli
