// The test data beside the repository: files of real projects, and what a real Envoy says of small ones. Tests that
// need it are skipped where it is not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xdscope::format {

// A folder of the corpora; empty when it is not there.
std::filesystem::path CorporaFolder(const std::string& name);
// All files below, sorted.
std::vector<std::filesystem::path> FilesBelow(const std::filesystem::path& folder);
std::string Contents(const std::filesystem::path& file);

}  // namespace xdscope::format
