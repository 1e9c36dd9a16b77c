#include "tests/unit/format/path_text.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace xdscope::format {

finding::Path PathOf(std::string_view text) {
  finding::Path path;
  while (!text.empty()) {
    if (text.front() == '.') text.remove_prefix(1);
    if (text.starts_with("[\"")) {
      std::string key;
      std::size_t at = 2;
      for (; text.at(at) != '"'; ++at) {
        if (text[at] == '\\') ++at;
        key.push_back(text.at(at));
      }
      path.AddKey(key);
      text.remove_prefix(at + 2);
    } else if (text.starts_with('[')) {
      const std::size_t end = text.find(']');
      std::size_t index = 0;
      const auto [at, error] = std::from_chars(text.data() + 1, text.data() + end, index);
      const bool number = error == std::errc() && at == text.data() + end;
      number ? path.AddIndex(index) : path.AddKey(text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(text.find_first_of(".["), text.size());
      path.AddField(text.substr(0, end));
      text.remove_prefix(end);
    }
  }
  return path;
}

}  // namespace xdscope::format
