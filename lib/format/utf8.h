// Spells characters in UTF-8, for readers that undo escapes.
#pragma once

#include <cstdint>
#include <string>

namespace xdscope::format {

// Appends one character. Demands at most U+10FFFF and no surrogate.
void AppendUtf8(std::uint32_t character, std::string* out);

}  // namespace xdscope::format
