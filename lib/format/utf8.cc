#include "lib/format/utf8.h"

namespace xdscope::format {

void AppendUtf8(std::uint32_t character, std::string* out) {
  const auto tail = [&](int shift) { out->push_back(static_cast<char>(0x80 | (character >> shift & 0x3F))); };
  if (character < 0x80) {
    out->push_back(static_cast<char>(character));
  } else if (character < 0x800) {
    out->push_back(static_cast<char>(0xC0 | character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | character >> 12));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xF0 | character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace xdscope::format
