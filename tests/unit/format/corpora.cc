#include "tests/unit/format/corpora.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace xdscope::format {

std::filesystem::path CorporaFolder(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path("../shared/corpora") / name;  // from the repository's root
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

std::vector<std::filesystem::path> FilesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace xdscope::format
