#include "lib/encode/scalar.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "lib/base/status.h"

namespace xdscope::encode {

using wire::Field;
using wire::FieldKind;

namespace {

constexpr std::int64_t kLow32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHigh32 = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kHighUint32 = std::numeric_limits<std::uint32_t>::max();

bool Is32(FieldKind kind) {
  return kind == FieldKind::kInt32 || kind == FieldKind::kSint32 || kind == FieldKind::kSfixed32 ||
         kind == FieldKind::kUint32 || kind == FieldKind::kFixed32 || kind == FieldKind::kEnum;
}

bool IsUnsigned(FieldKind kind) {
  return kind == FieldKind::kUint32 || kind == FieldKind::kUint64 || kind == FieldKind::kFixed32 ||
         kind == FieldKind::kFixed64;
}

// A number without a fraction, however it is written: "80", "80.0", "8e1". Beyond `most` only in digits.
template <typename T>
std::optional<T> Whole(std::string_view text, double least, double most) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); })) {
    return std::nullopt;
  }
  T number{};
  if (absl::SimpleAtoi(base::ToAbsl(text), &number)) return number;
  double real = 0;
  if (!absl::SimpleAtod(base::ToAbsl(text), &real)) return std::nullopt;
  const bool fits = real >= least && real <= most;  // never so for NaN
  if (!fits) return std::nullopt;
  if (std::trunc(real) != real) return std::nullopt;
  return static_cast<T>(real);
}

std::optional<std::uint64_t> SignedBits(FieldKind kind, std::optional<std::int64_t> number) {
  if (!number || (Is32(kind) && (*number < kLow32 || *number > kHigh32))) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(*number);
  if (kind != FieldKind::kSint32 && kind != FieldKind::kSint64) return bits;
  return (bits << 1) ^ static_cast<std::uint64_t>(*number >> 63);
}

std::optional<std::uint64_t> UnsignedBits(FieldKind kind, std::optional<std::uint64_t> number) {
  if (!number || (Is32(kind) && *number > kHighUint32)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> RealBits(FieldKind kind, double number) {
  if (kind == FieldKind::kDouble) return std::bit_cast<std::uint64_t>(number);
  // Digits that lie a little beyond the largest float still mean it.
  const auto narrow = static_cast<float>(number);
  if (std::isfinite(number) && !std::isfinite(narrow)) return std::nullopt;
  return std::bit_cast<std::uint32_t>(narrow);
}

std::optional<double> JsonReal(const Node& node) {
  if (node.is(NodeKind::kText)) {
    if (node.text() == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (node.text() == "Infinity") return std::numeric_limits<double>::infinity();
    if (node.text() == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  double number = 0;
  if (!absl::SimpleAtod(base::ToAbsl(node.text()), &number)) return std::nullopt;
  if (node.is(NodeKind::kNumber) && !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> JsonBool(const Node& node) {
  if (node.is(NodeKind::kBool)) return node.text() == "true" ? 1 : 0;
  bool flag = false;
  if (!node.is(NodeKind::kText) || !absl::SimpleAtob(base::ToAbsl(node.text()), &flag)) return std::nullopt;
  return flag ? 1 : 0;
}

// A number of text proto without its sign: decimal, 0x… or octal 0….
std::optional<std::uint64_t> TextWhole(std::string_view digits) {
  int radix = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    radix = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    radix = 8;
  }
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number, radix);
  return error == std::errc() && at == end ? std::optional<std::uint64_t>(number) : std::nullopt;
}

std::optional<std::int64_t> TextSigned(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::optional<std::uint64_t> size = TextWhole(negative ? text.substr(1) : text);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!size || *size > kMost + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *size : *size);
}

std::optional<double> TextReal(const Node& node) {
  std::string_view text = node.text();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double number = 0;
  if (node.is(NodeKind::kSymbol)) {
    const bool infinite =
        absl::EqualsIgnoreCase(base::ToAbsl(text), "inf") || absl::EqualsIgnoreCase(base::ToAbsl(text), "infinity");
    if (!infinite && !absl::EqualsIgnoreCase(base::ToAbsl(text), "nan")) return std::nullopt;
    number = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    if (text.ends_with('f') || text.ends_with('F')) text.remove_suffix(1);
    const bool other_radix =
        text.size() > 1 && text[0] == '0' &&
        (absl::ascii_isdigit(static_cast<unsigned char>(text[1])) || text[1] == 'x' || text[1] == 'X');
    const bool whole = text.find_first_of(".eE") == std::string_view::npos;
    if (other_radix && whole) return std::nullopt;
    if (!absl::SimpleAtod(base::ToAbsl(text), &number)) return std::nullopt;
  }
  return negative ? -number : number;
}

std::optional<std::uint64_t> TextBool(const Node& node) {
  const std::string_view text = node.text();
  if (node.is(NodeKind::kNumber)) {
    const std::optional<std::uint64_t> number = text.starts_with('-') ? std::nullopt : TextWhole(text);
    return number && *number <= 1 ? number : std::nullopt;
  }
  if (text == "true" || text == "True" || text == "t") return 1;
  if (text == "false" || text == "False" || text == "f") return 0;
  return std::nullopt;
}

std::string_view ExpectedKind(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInt32:
    case FieldKind::kSint32:
    case FieldKind::kSfixed32:
      return "a whole number from -2147483648 to 2147483647";
    case FieldKind::kUint32:
    case FieldKind::kFixed32:
      return "a whole number from 0 to 4294967295";
    case FieldKind::kInt64:
    case FieldKind::kSint64:
    case FieldKind::kSfixed64:
      return "a whole number of 64 bits";
    case FieldKind::kUint64:
    case FieldKind::kFixed64:
      return "a whole number from 0 to 18446744073709551615";
    case FieldKind::kBool:
      return "true or false";
    case FieldKind::kEnum:
      return "the name or number of an enum value";
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return "a number";
    case FieldKind::kString:
      return "text";
    case FieldKind::kBytes:
      return "base64";
    case FieldKind::kMessage:
      return "a map";
  }
  return "";
}

// Digits at the front of `text`, `count` of them; removed when they are there, and `after` too.
std::optional<int> TakeDigits(std::string_view* text, std::size_t count, std::string_view after) {
  int number = 0;
  if (text->size() < count + after.size()) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + count, number);
  if (error != std::errc() || end != text->data() + count || text->front() == '-') return std::nullopt;
  text->remove_prefix(count);
  if (!text->starts_with(after)) return std::nullopt;
  text->remove_prefix(after.size());
  return number;
}

// ".5" as nanoseconds; nothing there is 0.
std::optional<std::int32_t> TakeNanos(std::string_view* text) {
  if (!text->starts_with('.')) return 0;
  text->remove_prefix(1);
  std::int32_t nanos = 0;
  std::size_t digits = 0;
  while (digits < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[digits]))) {
    if (digits == 9) return std::nullopt;
    nanos = nanos * 10 + ((*text)[digits++] - '0');
  }
  if (digits == 0) return std::nullopt;
  text->remove_prefix(digits);
  for (; digits < 9; ++digits) nanos *= 10;
  return nanos;
}

// Seconds east of Greenwich: "Z" or "+01:00".
std::optional<std::int64_t> TakeZone(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const std::optional<int> hours = TakeDigits(&text, 2, ":");
  const std::optional<int> minutes = TakeDigits(&text, 2, "");
  if (!hours || !minutes) return std::nullopt;
  return sign * (*hours * 60 + *minutes) * 60;
}

// Days from 1970-01-01 in the Gregorian calendar; nullopt when there is no such day.
std::optional<std::int64_t> DaysTo(int year, int month, int day) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (year < 1 || month < 1 || month > 12 || day < 1) return std::nullopt;
  if (day > kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0)) return std::nullopt;
  std::int64_t days = day - 1;
  for (int m = 1; m < month; ++m) days += kDays[static_cast<std::size_t>(m - 1)];
  if (month > 2 && leap) ++days;
  const std::int64_t before = year - 1;
  return before * 365 + before / 4 - before / 100 + before / 400 + days - 719'162;
}

}  // namespace

std::optional<std::uint64_t> JsonBits(const Field& field, const Node& node) {
  if (field.kind == FieldKind::kBool) return JsonBool(node);
  if (!node.is(NodeKind::kNumber) && !node.is(NodeKind::kText)) return std::nullopt;
  if (field.kind == FieldKind::kFloat || field.kind == FieldKind::kDouble) {
    const std::optional<double> number = JsonReal(node);
    return number ? RealBits(field.kind, *number) : std::nullopt;
  }
  // Reals above these are not exact any more.
  constexpr double kMostSigned = 9007199254740992.0;
  constexpr double kMostUnsigned = 18014398509481984.0;
  if (IsUnsigned(field.kind)) {
    return UnsignedBits(field.kind, Whole<std::uint64_t>(node.text(), 0, kMostUnsigned));
  }
  return SignedBits(field.kind, Whole<std::int64_t>(node.text(), -kMostSigned, kMostSigned));
}

std::optional<std::uint64_t> TextBits(const Field& field, const Node& node) {
  if (!node.is(NodeKind::kNumber) && !node.is(NodeKind::kSymbol)) return std::nullopt;
  if (field.kind == FieldKind::kBool) return TextBool(node);
  if (field.kind == FieldKind::kFloat || field.kind == FieldKind::kDouble) {
    const std::optional<double> number = TextReal(node);
    if (!number) return std::nullopt;
    if (field.kind == FieldKind::kDouble) return RealBits(field.kind, *number);
    return std::bit_cast<std::uint32_t>(static_cast<float>(*number));  // too large is infinite here
  }
  if (!node.is(NodeKind::kNumber)) return std::nullopt;
  if (!IsUnsigned(field.kind)) return SignedBits(field.kind, TextSigned(node.text()));
  return node.text().starts_with('-') ? std::nullopt : UnsignedBits(field.kind, TextWhole(node.text()));
}

std::optional<std::int32_t> EnumNumber(const Field& field, std::string_view name, bool any_case) {
  const google::protobuf::EnumDescriptor& type = *field.descriptor->enum_type();
  const auto* exact = type.FindValueByName(std::string(name));
  if (exact != nullptr) return exact->number();
  for (int i = 0; any_case && i < type.value_count(); ++i) {
    if (absl::EqualsIgnoreCase(type.value(i)->name(), base::ToAbsl(name))) return type.value(i)->number();
  }
  return std::nullopt;
}

std::string Expected(const Field& field, const Node& node) {
  const std::string_view wanted = ExpectedKind(field.kind);
  const bool scalar = node.is(NodeKind::kNumber) || node.is(NodeKind::kText) || node.is(NodeKind::kSymbol);
  const bool text_for_text = field.kind == FieldKind::kBytes && node.is(NodeKind::kText);
  const bool fits_kind = scalar && field.kind != FieldKind::kMessage && field.kind != FieldKind::kString;
  if (text_for_text || (fits_kind && field.kind != FieldKind::kBytes)) return fmt::format("expected {}", wanted);
  return fmt::format("expected {}, not {}", wanted, NameOf(node.kind()));
}

bool FromBase64(std::string_view text, std::string* bytes) {
  constexpr auto kValues = [] {
    std::array<signed char, 256> values{};
    values.fill(-1);
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
      values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<signed char>(i);
    }
    values['+'] = values['-'] = 62;
    values['/'] = values['_'] = 63;
    return values;
  }();
  if (text.size() % 4 == 0 && text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  if (text.size() % 4 == 1) return false;
  bytes->reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const signed char value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes->push_back(static_cast<char>(bits >> count));
  }
  return true;
}

std::optional<Seconds> DurationOf(std::string_view text) {
  constexpr std::int64_t kMost = 315'576'000'000;
  const std::size_t digits = std::min(text.find_first_not_of("-0123456789"), text.size());
  Seconds duration;
  if (!absl::SimpleAtoi(base::ToAbsl(text.substr(0, digits)), &duration.seconds)) return std::nullopt;
  if (duration.seconds > kMost || duration.seconds < -kMost) return std::nullopt;
  const bool negative = text.starts_with('-');
  text.remove_prefix(digits);
  const std::optional<std::int32_t> nanos = TakeNanos(&text);
  if (!nanos || text != "s") return std::nullopt;
  duration.nanos = negative ? -*nanos : *nanos;
  return duration;
}

std::optional<Seconds> TimestampOf(std::string_view text) {
  const std::optional<int> year = TakeDigits(&text, 4, "-");
  const std::optional<int> month = year ? TakeDigits(&text, 2, "-") : std::nullopt;
  const std::optional<int> day = month ? TakeDigits(&text, 2, "T") : std::nullopt;
  const std::optional<int> hour = day ? TakeDigits(&text, 2, ":") : std::nullopt;
  const std::optional<int> minute = hour ? TakeDigits(&text, 2, ":") : std::nullopt;
  const std::optional<int> second = minute ? TakeDigits(&text, 2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::optional<std::int64_t> days = DaysTo(*year, *month, *day);
  const std::optional<std::int32_t> nanos = TakeNanos(&text);
  const std::optional<std::int64_t> zone = TakeZone(text);
  if (!days || !nanos || !zone) return std::nullopt;
  return Seconds{*days * 86'400 + *hour * std::int64_t{3'600} + *minute * std::int64_t{60} + *second - *zone, *nanos};
}

std::string SnakePath(std::string_view camel) {
  std::string snake;
  for (const char c : camel) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) snake.push_back('_');
    snake.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return snake;
}

}  // namespace xdscope::encode
