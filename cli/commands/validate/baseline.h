// --baseline: findings that are known and no news.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "lib/base/status.h"

namespace xdscope::cli {

// Returns the fingerprints of the findings in a report that `-o json` or `-o ndjson` printed. INVALID_ARGUMENT: that is
// none.
absl::StatusOr<std::set<std::string, std::less<>>> ReadBaseline(std::string_view text);

}  // namespace xdscope::cli
