// A message as JSON on one line.
#pragma once

#include <string>

#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// Returns a message as compact JSON with its secrets: for a peer, who shall have it as it is, and for no person.
std::string JsonText(const wire::View& message, wire::Types& types);

}  // namespace xdscope::format
