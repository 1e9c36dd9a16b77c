// Between the trees that lib/format reads and Values. For the .cc files of this folder.
#pragma once

#include <string_view>

#include "lib/config/document.h"
#include "lib/format/read.h"

namespace xdscope::config {

// The value with its lines. Of the entries of a `configs` at the top (an Envoy /config_dump) only the one with the
// bootstrap is kept: the rest may be a hundred megabytes and holds no settings.
Value ValueOf(const encode::Node& root, std::string_view text);

// The tree of a value; offsets in it are lines.
void AddToTree(const Value& value, encode::Tree* tree);

// The first error of a text as ErrorAt() says it; OK when there is none.
absl::Status FirstError(const encode::Problems& problems, std::string_view text, std::string_view file);

}  // namespace xdscope::config
