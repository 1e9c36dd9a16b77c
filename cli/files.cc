#include "cli/files.h"

#include "lib/base/files.h"

namespace xdscope::cli {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  absl::StatusOr<std::string> contents = base::ReadAll(path);
  if (contents.ok()) return contents;
  return base::Error(absl::StatusCode::kInvalidArgument, base::Message(contents.status()));
}

}  // namespace xdscope::cli
