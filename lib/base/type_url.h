// The name that a type URL ends in. Knows no schema: a name that no type has is a name too.
#pragma once

#include <string_view>

namespace xdscope::base {

// Returns the full name of the message that a type URL names: what follows its last '/', or the whole text when it has
// none ("type.googleapis.com/a.B", "x/y/a.B" and "a.B" all name a.B).
inline std::string_view MessageName(std::string_view type_url) {
  return type_url.substr(type_url.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace xdscope::base
