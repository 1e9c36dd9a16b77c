#include "lib/format/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "lib/format/text.h"

namespace xdscope::format {
namespace {

// Deeper levels are not indented further.
constexpr std::size_t kMaxLevel = 1000;
// What indentation may write behind its end.
constexpr std::size_t kStep = 16;
constexpr std::size_t kShortKey = 256;
constexpr std::size_t kDigits = 24;

}  // namespace

char* JsonWriter::Indent(char* to) const {
  if (layout_ == Layout::kCompact) return to;
  *to++ = '\n';
  const std::size_t blanks = 2 * std::min(level_, kMaxLevel);
  // In steps of a fixed size, which the caller leaves room for: a call of memset costs more than most lines need.
  for (std::size_t done = 0; done < blanks; done += kStep) std::memset(to + done, ' ', kStep);
  return to + blanks;
}

char* JsonWriter::NextLine(std::size_t more) {
  char* to = out_.Room(2 * kMaxLevel + 2 + kStep + more);
  if (!first_) *to++ = ',';
  first_ = false;
  return Indent(to);
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
  } else {
    out_.Used(NextLine(0));
  }
}

void JsonWriter::Begin(char bracket) {
  BeforeValue();
  out_.Append(bracket);
  first_ = true;
  ++level_;
}

void JsonWriter::End(char bracket) {
  --level_;
  char* to = out_.Room(2 * kMaxLevel + 2 + kStep);
  if (!first_) to = Indent(to);
  *to++ = bracket;
  out_.Used(to);
  first_ = level_ == 0;
  after_key_ = level_ == 0;  // the next value at the top stands alone
}

void JsonWriter::NameKey(std::string_view name) {
  if (color_ || name.size() > kShortKey) return Key(name);
  char* to = NextLine(name.size() + 4);
  *to++ = '"';
  std::memcpy(to, name.data(), name.size());
  to += name.size();
  std::copy_n("\": ", 3, to);
  out_.Used(to + (layout_ == Layout::kCompact ? 2 : 3));
  after_key_ = true;
}

void JsonWriter::Key(std::string_view key) {
  out_.Used(NextLine(0));
  Color(kKeyColor);
  AppendJsonString(out_, key);
  Color(kPlainColor);
  out_.Append(layout_ == Layout::kCompact ? ":" : ": ");
  after_key_ = true;
}

void JsonWriter::Text(std::string_view text) {
  BeforeValue();
  Color(kTextColor);
  AppendJsonString(out_, text);
  Color(kPlainColor);
}

void JsonWriter::Bytes(std::string_view bytes) {
  BeforeValue();
  Color(kTextColor);
  out_.Append('"');
  AppendBase64(out_, bytes);
  out_.Append('"');
  Color(kPlainColor);
}

void JsonWriter::Json(std::string_view value) {
  BeforeValue();
  out_.Append(value);
}

void JsonWriter::Word(std::string_view word) {
  BeforeValue();
  Color(kWordColor);
  out_.Append(word);
  Color(kPlainColor);
}

template <typename T>
void JsonWriter::Number(T value) {
  BeforeValue();
  Color(kNumberColor);
  char* const to = out_.Room(kDigits);
  out_.Used(std::to_chars(to, to + kDigits, value).ptr);
  Color(kPlainColor);
}

template <typename T>
void JsonWriter::Quoted(T value) {
  BeforeValue();
  Color(kTextColor);
  char* to = out_.Room(kDigits + 2);
  *to = '"';
  to = std::to_chars(to + 1, to + 1 + kDigits, value).ptr;
  *to = '"';
  out_.Used(to + 1);
  Color(kPlainColor);
}

template <typename T>
void JsonWriter::Real(T value) {
  if (const std::string_view name = NonFinite(value); !name.empty()) return Text(name);
  BeforeValue();
  Color(kNumberColor);
  AppendReal(out_, value);
  Color(kPlainColor);
}

void JsonWriter::Int(std::int32_t value) {
  Number(value);
}
void JsonWriter::Uint(std::uint32_t value) {
  Number(value);
}
void JsonWriter::Int64(std::int64_t value) {
  Quoted(value);
}
void JsonWriter::Uint64(std::uint64_t value) {
  Quoted(value);
}
void JsonWriter::Float(float value) {
  Real(value);
}
void JsonWriter::Double(double value) {
  Real(value);
}

}  // namespace xdscope::format
