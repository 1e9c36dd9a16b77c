// Judges resources that are held, wherever they came from: each of them by all rules, and all of them together. They
// have no lines; a finding is in a resource, at a path.
#pragma once

#include <vector>

#include "lib/client/file_judge.h"
#include "lib/resource/snapshot.h"
#include "lib/rules/set_inspector.h"
#include "lib/wire/type.h"

namespace xdscope::client {

// Says what is wrong with what is held, type by type: each type is like a file of the type's short name ("cds"), or of
// its message's where it has none. Takes time in proportion to what is held.
std::vector<JudgedFile> JudgeHeld(const resource::Snapshot& held, const rules::SetOptions& options, wire::Types& types);

}  // namespace xdscope::client
