// What to do about a YAML text at which yaml-cpp stopped. Its own words say what it met; this looks at what people
// usually write there by mistake.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xdscope::format {

// Returns what is probably meant, as the end of a sentence ("unknown token: quote it: \"@type\""); empty where nothing
// usual stands there. `offset` is where the parser stopped, `said` are its words. Takes one pass over the text.
std::string YamlHint(std::string_view text, std::size_t offset, std::string_view said);

}  // namespace xdscope::format
