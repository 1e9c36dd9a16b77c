#include "lib/base/fields.h"

#include <bit>
#include <cstring>

namespace xdscope::base {
namespace {

static_assert(std::endian::native == std::endian::little, "fixed-width fields are read as they stand");

constexpr std::uint64_t kMaxLength = 0x7fffffff - 16;

// Returns the length of the well-formed UTF-8 sequence at `at`, 0 when there is none. The ranges are those of table 3-7
// of the Unicode standard: the first byte decides what the second may be, which leaves out overlong forms and
// surrogates.
std::size_t SequenceLength(const unsigned char* at, std::size_t left) {
  const auto continuation = [at, left](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < left && at[i] >= low && at[i] <= high;
  };
  const unsigned first = at[0];
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continuation(1) ? 2 : 0;
  if (first < 0xF0) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return continuation(1, low, high) && continuation(2) ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return continuation(1, low, high) && continuation(2) && continuation(3) ? 4 : 0;
}

}  // namespace

// Ten bytes carry 70 bits. The last one may only add one bit to a number of 64; protobuf drops the others in silence.
ReadNumber ReadVarintSlow(const char* at, const char* end) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == end) return {};
    const auto byte = static_cast<unsigned char>(*at++);
    if (shift < 64) result |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return {at, result};
  }
  return {};
}

ReadNumber ReadTagSlow(const char* at, const char* end) {
  const ReadNumber read = ReadVarintSlow(at, end - at > 5 ? at + 5 : end);
  return {read.after, static_cast<std::uint32_t>(read.value)};
}

ReadNumber ReadLengthSlow(const char* at, const char* end) {
  const ReadNumber read = ReadVarintSlow(at, end - at > 5 ? at + 5 : end);
  if (read.after == nullptr || read.value > kMaxLength) return {};
  return read.value > static_cast<std::uint64_t>(end - read.after) ? ReadNumber() : read;
}

std::uint32_t LoadFixed32(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t LoadFixed64(const char* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool FieldReader::ReadFixed() {
  const auto left = static_cast<std::size_t>(end_ - at_);
  const std::size_t width = type_ == WireType::kFixed64 ? 8 : 4;
  const bool fixed = type_ == WireType::kFixed64 || type_ == WireType::kFixed32;
  if (!fixed || left < width) return Fail();
  value_ = width == 8 ? LoadFixed64(at_) : LoadFixed32(at_);
  at_ += width;
  return true;
}

// Finds the end tag that belongs to the start tag just read. A loop with a stack of field numbers in place of
// recursion, so that the depth is bounded by the array and not by the thread's stack. The values inside are read with
// the same functions as others, which is why type_ and bytes_ are set again at the end.
bool FieldReader::SkipGroup() {
  if (group_depth_ < 1) return Fail();
  std::uint32_t open[kMaxGroupDepth];
  open[0] = number_;
  int depth = 1;
  const char* const inside = at_;
  const char* closing = at_;
  while (depth > 0) {
    closing = at_;
    std::uint32_t tag = 0;
    const char* after = ReadTag(at_, end_, &tag);
    if (after == nullptr || tag >> 3 == 0) return Fail();
    at_ = after;
    const auto type = static_cast<WireType>(tag & 7);
    const std::uint32_t number = tag >> 3;
    if (type == WireType::kStartGroup) {
      if (depth == group_depth_) return Fail();
      open[depth++] = number;
    } else if (type == WireType::kEndGroup) {
      if (open[--depth] != number) return Fail();
    } else {
      type_ = type;
      bytes_ = {};
      if (!ReadValue()) return false;
    }
  }
  type_ = WireType::kStartGroup;
  value_ = 0;
  bytes_ = {inside, static_cast<std::size_t>(closing - inside)};
  return true;
}

std::optional<std::string_view> FindBytes(std::string_view message, std::uint32_t number) {
  std::optional<std::string_view> found;
  FieldReader fields(message);
  std::string_view bytes;
  while (fields.Next()) {
    if (fields.Is(number, &bytes)) found = bytes;
  }
  return found;
}

void AppendVarint(std::string* out, std::uint64_t value) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

void AppendTag(std::string* out, std::uint32_t number, WireType type) {
  AppendVarint(out, static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(type));
}

void AppendBytes(std::string* out, std::uint32_t number, std::string_view bytes) {
  AppendTag(out, number, WireType::kBytes);
  AppendVarint(out, bytes.size());
  out->append(bytes);
}

bool IsUtf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  while (left > 0) {
    // Nearly all text is ASCII: eight bytes without a high bit are eight characters.
    if (left >= 8 && (LoadFixed64(reinterpret_cast<const char*>(at)) & 0x8080808080808080U) == 0) {
      at += 8;
      left -= 8;
      continue;
    }
    const std::size_t length = SequenceLength(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

}  // namespace xdscope::base
