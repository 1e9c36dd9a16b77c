#include "lib/format/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "lib/base/fields.h"
#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7F;
}

// The length of the UTF-8 character at the front of `text`, 0 when there is none.
std::size_t CharacterLength(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (base::IsUtf8(text.substr(0, length))) return length;
  }
  return 0;
}

std::size_t WidthOf(const Utf8Character& character) {
  if (character.value < 0x7F) return 1;
  return static_cast<std::size_t>(std::max(utf8proc_charwidth(static_cast<utf8proc_int32_t>(character.value)), 0));
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
  if (std::all_of(text.begin(), text.end(), IsPlain)) return std::string(text);
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !IsHidden(ReadUtf8(character).value)) {
      printable.append(character);
    } else {
      for (const char c : character) AppendEscaped(c, &printable);
    }
    text.remove_prefix(character.size());
  }
  return printable;
}

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Utf8Character character = ReadUtf8(text);
    columns += WidthOf(character);
    text.remove_prefix(character.length);
  }
  return columns;
}

std::string_view Truncate(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Utf8Character character = ReadUtf8(text.substr(end));
    const std::size_t width = WidthOf(character);
    if (width > columns) break;
    columns -= width;
    end += character.length;
  }
  return text.substr(0, end);
}

std::string Shortened(std::string_view text, std::size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  return fmt::format("{}…", Truncate(text, columns - 1));
}

std::string ShortenedInside(std::string_view text, std::size_t columns) {
  const std::size_t all = Columns(text);
  if (all <= columns) return std::string(text);
  const std::string_view front = Truncate(text, (columns - 1) / 2);
  const std::size_t room = columns - 1 - Columns(front);
  // A wide character that stands across the cut is left out too.
  std::string_view back = text.substr(Truncate(text, all - room).size());
  if (Columns(back) > room) back.remove_prefix(ReadUtf8(back).length);
  return fmt::format("{}…{}", front, back);
}

}  // namespace xdscope::format
