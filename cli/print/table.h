// One line about a resource: the columns of `-o table`, by type.
#pragma once

#include <string>

#include "lib/format/table.h"
#include "lib/resource/snapshot.h"

namespace xdscope::cli {

// Makes the table of a type: the name, what matters most of that type, VERSION and SIZE.
format::Table TableOf(const std::string& type_url, const resource::TypeState& state);

}  // namespace xdscope::cli
