#include "lib/schema/builtin_set.h"

#include <cstddef>

extern "C" {
extern const char xdscope_builtin_set_begin[];
extern const char xdscope_builtin_set_end[];
}

namespace xdscope::schema {

std::string_view BuiltinSet() {
  return {xdscope_builtin_set_begin, static_cast<std::size_t>(xdscope_builtin_set_end - xdscope_builtin_set_begin)};
}

}  // namespace xdscope::schema
