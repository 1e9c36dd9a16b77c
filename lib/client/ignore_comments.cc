#include "lib/client/ignore_comments.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "lib/base/status.h"

namespace xdscope::client {
namespace {

constexpr std::string_view kMark = "xds-ignore:";

std::string_view Trimmed(std::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(base::ToAbsl(text));
  return {trimmed.data(), trimmed.size()};
}

// Returns the ids that a comment in the line names; none: there is no such comment.
std::vector<std::string> IdsIn(std::string_view line) {
  std::vector<std::string> ids;
  const std::size_t mark = line.find(kMark);
  const std::size_t comment = line.rfind('#', mark);
  if (mark == std::string_view::npos || comment == std::string_view::npos) return ids;
  if (!Trimmed(line.substr(comment + 1, mark - comment - 1)).empty()) return ids;
  std::string_view rest = line.substr(mark + kMark.size());
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view id = Trimmed(rest.substr(0, comma));
    if (!id.empty()) ids.emplace_back(id.substr(0, id.find(' ')));  // words behind an id are for the reader
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return ids;
}

}  // namespace

IgnoredRules FindIgnoreComments(std::string_view text) {
  IgnoredRules ignored;
  if (text.find(kMark) == std::string_view::npos) return ignored;
  std::vector<std::string> above;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::vector<std::string> ids = IdsIn(line);
    const std::string_view said = Trimmed(line);
    above.insert(above.end(), ids.begin(), ids.end());
    if (said.empty() || said.starts_with('#')) continue;
    if (!above.empty()) ignored.emplace(number, std::move(above));
    above.clear();
  }
  return ignored;
}

}  // namespace xdscope::client
