// The Envoy API as one serialized FileDescriptorSet, part of the program (proto/ makes it, builtin_set.S embeds it).
#pragma once

#include <string_view>

namespace xdscope::schema {

std::string_view BuiltinSet();

}  // namespace xdscope::schema
