#include "lib/format/text.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "lib/base/fields.h"
#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

// --- JSON strings: eight bytes at a time, as most of them need no escape ---

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

// What JSON wants escaped and what a terminal would obey; more of that is above ASCII (utf8.h).
constexpr char kDel = '\x7f';

// False when none of the eight bytes needs an escape; true also for text that is not ASCII, which is looked at byte by
// byte. A byte that is below 0x20, '"', '\\' or kDel sets a high bit: by a borrow, or by the carry into it.
constexpr bool MayNeedEscape(std::uint64_t word) {
  const auto all = [](char c) { return kOnes * static_cast<unsigned char>(c); };
  const std::uint64_t marks =
      word | (word - all(' ')) | ((word ^ all('"')) - kOnes) | ((word ^ all('\\')) - kOnes) | (word + kOnes);
  return (marks & kHighs) != 0;
}

// Spells one half of a character, or all of it below U+10000.
char* EscapeUnit(char* to, std::uint32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::copy_n("\\u", 2, to);
  for (int i = 0; i < 4; ++i) to[2 + i] = kHex[unit >> (12 - 4 * i) & 15];
  return to + 6;
}

char* EscapeNumber(char* to, std::uint32_t character) {
  if (character < 0x10000) return EscapeUnit(to, character);
  to = EscapeUnit(to, 0xD800 + ((character - 0x10000) >> 10));
  return EscapeUnit(to, 0xDC00 + (character & 0x3FF));
}

// Writes the character at `*at`, or one byte of it, and moves on behind it.
char* EscapeNext(char* to, const char** at, const char* end) {
  constexpr std::string_view kNamed = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  const char c = *(*at)++;
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80 && MayBeginHidden(c)) {
    const Utf8Character character = ReadUtf8({*at - 1, end});
    if (IsHidden(character.value)) {
      *at += character.length - 1;
      return EscapeNumber(to, character.value);
    }
  }
  if (byte >= 0x20 && c != '"' && c != '\\' && c != kDel) {
    *to = c;
    return to + 1;
  }
  const std::size_t named = kNamed.find(c);
  if (named == std::string_view::npos) return EscapeNumber(to, byte);
  to[0] = '\\';
  to[1] = kLetters[named];
  return to + 2;
}

template <typename T>
std::uint64_t Load(const char* at) {
  T word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The last `size` (below 8) bytes of a text in one word; what is left of the word are spaces.
std::uint64_t LoadTail(const char* at, std::size_t size) {
  std::uint64_t word = 0;
  if (size >= 4) {
    word = Load<std::uint32_t>(at) | Load<std::uint32_t>(at + size - 4) << (8 * (size - 4));
  } else if (size > 0) {
    const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i); };
    word = byte(0) | byte(size / 2) | byte(size - 1);
  }
  return word | (kOnes * 0x20) << (8 * size);
}

// Writes at most 6 bytes for each of the text, and up to 8 behind the last.
char* Escape(char* to, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(end - at), 8);
    const std::uint64_t word = size == 8 ? Load<std::uint64_t>(at) : LoadTail(at, size);
    if (!MayNeedEscape(word)) {
      std::memcpy(to, &word, sizeof word);
      at += size;
      to += size;
      continue;
    }
    for (const char* const stop = at + size; at < stop;) to = EscapeNext(to, &at, end);
  }
  return to;
}

// --- base64 ---

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Four letters for up to three bytes.
char* EncodeThree(char* to, std::string_view bytes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  }
  for (std::size_t i = 0; i < 4; ++i) to[i] = i <= bytes.size() ? kBase64[bits >> (18 - 6 * i) & 63] : '=';
  return to + 4;
}

// Four letters for each three bytes or part of them.
char* PutBase64(char* to, std::string_view bytes) {
  while (!bytes.empty()) {
    to = EncodeThree(to, bytes.substr(0, 3));
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 3));
  }
  return to;
}

constexpr std::size_t Base64Length(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

constexpr std::size_t kLongestNumber = 64;

// Whole numbers below `whole_below` have no exponent.
template <typename T>
char* PutShortest(char* at, T value, T whole_below) {
  const bool whole = std::abs(value) < whole_below && std::trunc(value) == value;
  const bool negative_zero = value == 0 && std::signbit(value);
  if (!whole || negative_zero) return std::to_chars(at, at + kLongestNumber, value).ptr;
  return std::to_chars(at, at + kLongestNumber, static_cast<std::int64_t>(value)).ptr;
}

char* PutReal(char* at, double value) {
  return PutShortest(at, value, 1e15);
}
// Whole floats from 2^24 on have digits that say nothing.
char* PutReal(char* at, float value) {
  return PutShortest(at, value, 16777216.0F);
}

template <typename T>
std::string Spelled(T value) {
  char digits[kLongestNumber];
  return {digits, PutReal(digits, value)};
}

// 5'000'000 as ".005": nothing, or three, six or nine digits.
std::string Fraction(std::int64_t nanos) {
  if (nanos == 0) return {};
  if (nanos % 1'000'000 == 0) return fmt::format(".{:03}", nanos / 1'000'000);
  if (nanos % 1'000 == 0) return fmt::format(".{:06}", nanos / 1'000);
  return fmt::format(".{:09}", nanos);
}

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

void AppendJsonString(Output& out, std::string_view text) {
  constexpr std::size_t kPiece = 1024;
  constexpr std::size_t kSpare = 10;
  static_assert(6 * kPiece + kSpare <= Output::kMaxRoom);
  char* to = out.Room(6 * std::min(text.size(), kPiece) + kSpare);
  *to++ = '"';
  while (text.size() > kPiece) {
    std::size_t size = kPiece;
    while ((static_cast<unsigned char>(text[size]) & 0xC0) == 0x80 && size > kPiece - 4) --size;  // between characters
    out.Used(Escape(to, text.substr(0, size)));
    text.remove_prefix(size);
    to = out.Room(6 * std::min(text.size(), kPiece) + kSpare);
  }
  to = Escape(to, text);
  *to++ = '"';
  out.Used(to);
}

void AppendBase64(Output& out, std::string_view bytes) {
  constexpr std::size_t kPiece = 3072;  // a multiple of three
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    out.Used(PutBase64(out.Room(Base64Length(piece.size())), piece));
    bytes.remove_prefix(piece.size());
  }
}

std::string Base64Text(std::string_view bytes) {
  std::string text(Base64Length(bytes.size()), '\0');
  PutBase64(text.data(), bytes);
  return text;
}

void AppendReal(Output& out, double value) {
  out.Used(PutReal(out.Room(kLongestNumber), value));
}
void AppendReal(Output& out, float value) {
  out.Used(PutReal(out.Room(kLongestNumber), value));
}
std::string RealText(double value) {
  return Spelled(value);
}
std::string RealText(float value) {
  return Spelled(value);
}

std::string_view NonFinite(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return {};
}

std::optional<std::string> DurationText(std::int64_t seconds, std::int64_t nanos) {
  constexpr std::int64_t kMaxSeconds = 315'576'000'000;
  const bool in_range = std::abs(nanos) < kNanosPerSecond && seconds >= -kMaxSeconds && seconds <= kMaxSeconds;
  if (!in_range || (seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0)) return std::nullopt;
  std::string text = seconds < 0 || nanos < 0 ? "-" : "";
  text += fmt::format_int(std::abs(seconds)).c_str();
  if (nanos != 0) text += Fraction(std::abs(nanos));
  text += 's';
  return text;
}

std::optional<std::string> TimestampText(std::int64_t seconds, std::int64_t nanos) {
  constexpr std::int64_t kFirst = -62'135'596'800;  // 0001-01-01T00:00:00Z
  constexpr std::int64_t kLast = 253'402'300'799;   // 9999-12-31T23:59:59Z
  if (seconds < kFirst || seconds > kLast || nanos < 0 || nanos >= kNanosPerSecond) return std::nullopt;
  const absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixSeconds(seconds), absl::UTCTimeZone());
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", civil.year(), civil.month(), civil.day(), civil.hour(),
                     civil.minute(), civil.second(), Fraction(nanos));
}

std::string_view Repaired(std::string_view text, std::string& space) {
  if (base::IsUtf8(text)) return text;
  space.clear();
  while (!text.empty()) {
    std::size_t length = 4;
    while (length > 0 && (length > text.size() || !base::IsUtf8(text.substr(0, length)))) --length;
    space.append(length > 0 ? text.substr(0, length) : "\xEF\xBF\xBD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return space;
}

}  // namespace xdscope::format
