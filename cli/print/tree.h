// What refers to what, as a tree: listeners, their routes, the clusters behind them, the endpoints of those, secrets
// beside what uses them.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "lib/format/table.h"
#include "lib/resource/references.h"
#include "lib/resource/snapshot.h"

namespace xdscope::cli {

// Tells whether a resource was asked for, by its name or as one of everything.
using WasAsked = std::function<bool(std::string_view type_url, std::string_view name)>;

struct Tree {
  std::vector<format::TreeNode> roots;
  std::size_t missing = 0;  // resources that were asked for and are not there, each counted once
};

// Makes the tree. Its roots are the listeners and whatever nothing else refers to. A resource that several refer to
// shows its own references at the first place only. What is referred to and not there is marked as missing, or as
// not fetched where nobody asked for it; a note stands in place of what is more than 100 levels deep.
Tree TreeOf(const resource::Snapshot& snapshot, resource::ReferenceFinder& references, const WasAsked& was_asked);

}  // namespace xdscope::cli
