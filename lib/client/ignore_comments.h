// Comments in files that say which findings nobody wants to see there: "# xds-ignore: XDS-V059", behind what a line
// says or on a line of its own above it. Several ids stand with commas between them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::client {

// By the line that a comment is about, from 1: the ids, or patterns of them, that it names.
using IgnoredRules = std::map<int, std::vector<std::string>>;

// Finds them in the text of a format that has comments with '#'. A comment above another one, or above an empty line,
// is about the next line that says something.
IgnoredRules FindIgnoreComments(std::string_view text);

}  // namespace xdscope::client
