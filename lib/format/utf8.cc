#include "lib/format/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace xdscope::format {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Controls, and what Unicode calls default-ignorable, format characters, and line and paragraph separators. Sorted.
constexpr Range kHidden[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x0600, 0x0605},   {0x061C, 0x061C},
    {0x06DD, 0x06DD}, {0x070F, 0x070F}, {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
    {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x110BD, 0x110BD}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

constexpr unsigned char LeadOf(std::uint32_t character) {
  return static_cast<unsigned char>(character < 0x80      ? character
                                    : character < 0x800   ? 0xC0 | character >> 6
                                    : character < 0x10000 ? 0xE0 | character >> 12
                                                          : 0xF0 | character >> 18);
}

constexpr std::array<bool, 256> kLeads = [] {
  std::array<bool, 256> leads{};
  for (const Range& range : kHidden) {
    for (unsigned lead = LeadOf(range.first); lead <= LeadOf(range.last); ++lead) leads[lead] = true;
  }
  // U+007F to U+009F is one range of two kinds of leads.
  for (unsigned none = 0x80; none < 0xC2; ++none) leads[none] = false;
  return leads;
}();

}  // namespace

bool IsHidden(std::uint32_t character) {
  const auto* const range =
      std::lower_bound(std::begin(kHidden), std::end(kHidden), character,
                       [](const Range& each, std::uint32_t wanted) { return each.last < wanted; });
  return range != std::end(kHidden) && character >= range->first;
}

bool MayBeginHidden(char first) {
  return kLeads[static_cast<unsigned char>(first)];
}

Utf8Character ReadUtf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return {0xFFFD, text.size()};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return {value, length};
}

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
