#include "lib/format/text_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/format/printable.h"
#include "lib/format/text.h"
#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

// The escape of a byte in a quoted text; empty when it stands as it is.
std::string EscapeOf(char c, bool ascii_only) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const bool plain = byte >= 0x20 && byte != 0x7F && (byte < 0x80 || !ascii_only);
  return plain ? std::string() : fmt::format("\\{:03o}", byte);
}

void AppendQuoted(Output& out, std::string_view text, bool ascii_only) {
  out.Append('"');
  std::size_t begin = 0;
  std::size_t hidden_end = 0;  // of a hidden character, whose bytes are all escaped
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (MayBeginHidden(text[i]) && !ascii_only) {
      const Utf8Character character = ReadUtf8(text.substr(i));
      if (IsHidden(character.value)) hidden_end = i + character.length;
    }
    const std::string escape = EscapeOf(text[i], ascii_only || i < hidden_end);
    if (escape.empty()) continue;
    out.Append(text.substr(begin, i - begin));
    out.Append(escape);
    begin = i + 1;
  }
  out.Append(text.substr(begin));
  out.Append('"');
}

}  // namespace

void TextWriter::KeyLine() {
  const std::size_t around = lists_around_.empty() ? 0 : lists_around_.back();
  out_.Fill(' ', 2 * (level_ - 1));
  Color(kKeyColor);
  out_.Append(lists_.size() > around ? lists_.back() : key_);
  Color(kPlainColor);
}

void TextWriter::BeginObject() {
  if (level_ > 0) {
    KeyLine();
    out_.Append(" {\n");
  }
  ++level_;
  lists_around_.push_back(lists_.size());
}

void TextWriter::EndObject() {
  lists_around_.pop_back();
  --level_;
  if (level_ == 0) return;
  out_.Fill(' ', 2 * (level_ - 1));
  out_.Append("}\n");
}

void TextWriter::Scalar(std::string_view text, std::string_view color) {
  KeyLine();
  out_.Append(": ");
  Color(color);
  out_.Append(text);
  Color(kPlainColor);
  out_.Append('\n');
}

void TextWriter::Text(std::string_view text) {
  KeyLine();
  out_.Append(": ");
  Color(kTextColor);
  AppendQuoted(out_, text, false);
  Color(kPlainColor);
  out_.Append('\n');
}

void TextWriter::Bytes(std::string_view bytes) {
  KeyLine();
  out_.Append(": ");
  Color(kTextColor);
  AppendQuoted(out_, bytes, true);
  Color(kPlainColor);
  out_.Append('\n');
}

void TextWriter::Int64(std::int64_t value) {
  Scalar(fmt::format_int(value).c_str(), kNumberColor);
}
void TextWriter::Uint64(std::uint64_t value) {
  Scalar(fmt::format_int(value).c_str(), kNumberColor);
}
void TextWriter::Float(float value) {
  Real(value);
}
void TextWriter::Double(double value) {
  Real(value);
}

template <typename T>
void TextWriter::Real(T value) {
  if (std::isnan(value)) return Scalar("nan", kNumberColor);
  if (std::isinf(value)) return Scalar(value > 0 ? "inf" : "-inf", kNumberColor);
  Scalar(RealText(value), kNumberColor);
}

void TextWriter::Comment(std::string_view text) {
  out_.Fill(' ', 2 * (level_ - 1));
  Color(kDimColor);
  out_.Append("# ");
  out_.Append(Printable(text));
  Color(kPlainColor);
  out_.Append('\n');
}

}  // namespace xdscope::format
