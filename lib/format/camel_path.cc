// Paths of a FieldMask as protobuf 3.21 prints them in JSON. A path that is not snake_case loses letters on the way;
// that is protobuf's, and other tools' output has to be comparable.
#include <algorithm>

#include "lib/format/text.h"

namespace xdscope::format {
namespace {

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
char Lower(char c) {
  return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
char Upper(char c) {
  return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// One name between dots. Capitals stay only where a word begins: after '_', and once after the first word.
void AppendCamel(std::string& out, std::string_view name) {
  const std::size_t begin = out.size();
  bool after_underscore = false;
  bool first_word = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_') {
      after_underscore = true;
      if (out.size() > begin) first_word = false;
    } else if (first_word) {
      const bool word_begins = (i > 0 && !IsUpper(name[i - 1])) || (i + 1 < name.size() && IsLower(name[i + 1]));
      first_word = out.size() == begin || !IsUpper(c) || !word_begins;
      out.push_back(first_word ? Lower(c) : c);
    } else if (after_underscore) {
      after_underscore = false;
      out.push_back(Upper(c));
    } else {
      out.push_back(Lower(c));
    }
  }
}

}  // namespace

std::string CamelPath(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t name = std::min(path.find_first_of(".()\""), path.size());
    AppendCamel(out, path.substr(0, name));
    path.remove_prefix(name);
    if (path.empty()) break;
    // A quoted map key stays as it is, escapes too.
    std::size_t end = 1;
    if (path[0] == '"') {
      while (end < path.size() && path[end] != '"') end += path[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, path.size());
    }
    out.append(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

}  // namespace xdscope::format
