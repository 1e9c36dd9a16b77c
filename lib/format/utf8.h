// Characters in UTF-8: spelled, read, and told apart by whether a person sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xdscope::format {

// Appends one character. Demands at most U+10FFFF and no surrogate.
void AppendUtf8(std::uint32_t character, std::string* out);

struct Utf8Character {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes
};
// Reads the character at the front of `text`. Demands UTF-8 that is not empty; of a text that is cut off inside of its
// first character it makes U+FFFD.
Utf8Character ReadUtf8(std::string_view text);

// Returns true for a character that is not to reach a terminal or a log as it is: one that commands it (C0, DEL, C1),
// ends a line (U+2028, U+2029), turns the direction of what follows, or is not seen at all.
bool IsHidden(std::uint32_t character);
// Returns false for the first byte of characters of which none is hidden; a quick look for those who go through much
// text. Bytes that begin no character are none.
bool MayBeginHidden(char first);

}  // namespace xdscope::format
