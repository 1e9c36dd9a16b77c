// Characters as UTF-8. For the readers.
#pragma once

#include <cstdint>
#include <string>

namespace xdscope::format {

// `character` is at most U+10FFFF and no surrogate.
void AppendUtf8(std::uint32_t character, std::string* out);

}  // namespace xdscope::format
