#include "lib/format/yaml_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "lib/format/text.h"
#include "lib/format/yaml_scalar.h"

namespace xdscope::format {
namespace {

// Readers take a key as such only within 1024 characters; longer ones need the explicit form.
constexpr std::size_t kLongKey = 120;
// Longer names of fields are never words of YAML, such as "null" or "off".
constexpr std::size_t kLongestWord = 5;

}  // namespace

void YamlWriter::Begin(bool list) {
  const bool in_list = !frames_.empty() && frames_.back().list;
  if (in_list) BeforeScalar();
  Frame frame{list, true, 0};
  if (!frames_.empty()) {
    // A list stands under its key, not right of it.
    const bool same_column = list && before_ == Before::kKey;
    frame.column = frames_.back().column + (same_column ? 0 : 2);
  }
  frames_.push_back(frame);
}

void YamlWriter::End(std::string_view empty) {
  const bool was_empty = frames_.back().empty;
  frames_.pop_back();
  if (was_empty) {
    if (before_ == Before::kKey) out_.Append(' ');
    out_.Append(empty);
  }
  AfterValue();
}

void YamlWriter::NextLine() {
  Frame& frame = frames_.back();
  const bool same_line = frame.empty && before_ != Before::kKey;
  frame.empty = false;
  if (same_line) return;
  out_.Append('\n');
  out_.Fill(' ', frame.column);
}

void YamlWriter::BeforeScalar() {
  if (before_ == Before::kKey && !frames_.back().list) return out_.Append(' ');
  if (frames_.empty()) return;
  NextLine();
  out_.Append("- ");
  before_ = Before::kDash;
}

void YamlWriter::AfterValue() {
  before_ = Before::kNothing;
  if (frames_.empty()) out_.Append('\n');
}

void YamlWriter::Key(std::string_view key) {
  NextLine();
  ScalarStyle style = StyleOf(key);
  if (style == ScalarStyle::kBlock) style = ScalarStyle::kDouble;
  const bool long_key = key.size() > kLongKey;
  if (long_key) out_.Append("? ");
  Color(kKeyColor);
  AppendScalar(out_, key, style, 0);
  Color(kPlainColor);
  if (long_key) {
    out_.Append('\n');
    out_.Fill(' ', frames_.back().column);
  }
  AfterKey();
}

void YamlWriter::NameKey(std::string_view name) {
  if (name.size() <= kLongestWord) return Key(name);
  NextLine();
  Color(kKeyColor);
  out_.Append(name);
  Color(kPlainColor);
  AfterKey();
}

void YamlWriter::Text(std::string_view text) {
  BeforeScalar();
  Color(kTextColor);
  AppendScalar(out_, text, StyleOf(text), frames_.empty() ? 2 : frames_.back().column + 2);
  Color(kPlainColor);
  AfterValue();
}

void YamlWriter::Bytes(std::string_view bytes) {
  Text(Base64Text(bytes));
}

void YamlWriter::Scalar(std::string_view text, std::string_view color) {
  BeforeScalar();
  Color(color);
  out_.Append(text);
  Color(kPlainColor);
  AfterValue();
}

void YamlWriter::Int(std::int32_t value) {
  Scalar(fmt::format_int(value).c_str(), kNumberColor);
}
void YamlWriter::Uint(std::uint32_t value) {
  Scalar(fmt::format_int(value).c_str(), kNumberColor);
}
void YamlWriter::Int64(std::int64_t value) {
  Text(fmt::format_int(value).c_str());
}
void YamlWriter::Uint64(std::uint64_t value) {
  Text(fmt::format_int(value).c_str());
}
void YamlWriter::Float(float value) {
  Real(value);
}
void YamlWriter::Double(double value) {
  Real(value);
}

template <typename T>
void YamlWriter::Real(T value) {
  if (const std::string_view name = NonFinite(value); !name.empty()) return Text(name);
  std::string text = RealText(value);
  // YAML 1.1 takes 1e+22 for text: its numbers need a dot.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  Scalar(text, kNumberColor);
}

}  // namespace xdscope::format
