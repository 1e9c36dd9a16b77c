// Which resources a client means by the words of a refusal.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::cli {

// Returns the names that stand in the words of a NACK and that `is_name` knows, each once, in their order: in quotes,
// or before a colon ("Error adding/updating cluster(s) web: …, api: …"), or as the last word ("Unexpected EDS cluster
// (expecting web): Web"). Reads the first 4096 bytes, more than which no client says.
std::vector<std::string> NamedResources(std::string_view words, const std::function<bool(std::string_view)>& is_name);

}  // namespace xdscope::cli
