// Names of files for resources, whatever the resources are called: safe on every file system, never a path, never two
// alike.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace xdscope::cli {

// Returns a text as the name of a file. Letters, digits and ".-_=@+," stay as they are, all other bytes (and a leading
// dot) become %XX: "shop%2Fweb". Two texts have two names, unless they are too long for a file: then the end is left
// out. An empty text becomes "~".
std::string FileName(std::string_view text);

// Gives names, none of them twice; names that differ in the case of their letters alone count as the same.
class FileNames {
 public:
  // Returns FileName(text), or the same with "~2", "~3" … behind it.
  std::string New(std::string_view text);

 private:
  std::map<std::string, std::size_t> given_;  // FileName() in lower case, and how often it was asked for
};

}  // namespace xdscope::cli
