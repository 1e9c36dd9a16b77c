// Places in the message that a check looks at, by the names of its fields.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lib/rules/report.h"

namespace xdscope::rules {

// A field of the message, or one element of a list. Where the schema has no such field: the message.
inline Place At(const encode::Visited& at, std::string_view field, std::optional<std::size_t> index = {}) {
  return {at, at.message.type().Find(field), index};
}

}  // namespace xdscope::rules
