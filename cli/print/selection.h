// Which findings of a run count, and how much.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/client/file_judge.h"

namespace xdscope::cli {

struct Selection {
  enum class Client : std::uint8_t { kEnvoy, kGrpc, kBoth };

  Client client = Client::kEnvoy;
  std::vector<std::string> only;             // ids, or patterns like "pgv.*"; empty: all
  std::vector<std::string> disabled;         // the same; they win over `only`
  std::set<std::string, std::less<>> known;  // fingerprints of what is no news
};

// Takes away the findings that do not count, those too that a comment in their file ignores. A file that cannot be read
// always counts.
void Select(const Selection& selection, std::vector<client::JudgedFile>* files);

// Fails with INVALID_ARGUMENT, "--FLAG PATTERN: what", for a pattern that no rule's id matches.
absl::Status CheckPatterns(std::string_view flag, const std::vector<std::string>& patterns);

}  // namespace xdscope::cli
