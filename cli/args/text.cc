#include "cli/args/text.h"

#include <fmt/format.h>

#include "lib/base/fields.h"

namespace xdscope::cli {
namespace {

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The length of the UTF-8 character at the front of `text`, 0 when there is none.
std::size_t CharacterLength(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (base::IsUtf8(text.substr(0, length))) return length;
  }
  return 0;
}

void AppendEscaped(char c, std::string* out) {
  if (c == '\n') {
    out->append("\\n");
  } else if (c == '\t') {
    out->append("\\t");
  } else {
    fmt::format_to(std::back_inserter(*out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // Besides ASCII's, U+0080 to U+009F are control characters too.
    const bool c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    const bool harmless = length > 1 ? !c1 : length == 1 && first >= 0x20 && first != 0x7F;
    const std::size_t taken = length == 0 ? 1 : length;
    for (const char c : text.substr(0, taken)) {
      if (harmless) {
        printable.push_back(c);
      } else {
        AppendEscaped(c, &printable);
      }
    }
    text.remove_prefix(taken);
  }
  return printable;
}

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += Continues(c) ? 0 : 1;
  return columns;
}

std::string_view Truncate(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    if (!Continues(text[end]) && columns-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

}  // namespace xdscope::cli
