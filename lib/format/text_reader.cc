#include "lib/format/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

using encode::NodeKind;

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f';
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

}  // namespace

// What makes text format hard to cut into messages is that it has no bracket around the outermost one: where a file
// holds several, the next begins at a comment with its type, which protoc and our own printer write, or at an expanded
// Any, which can be no second field of the same message. A list may be written as one field again and again, which only
// somebody with the schema can tell from a mistake: the tree has one member for each.
bool TextReader::Fail(std::size_t at, std::string_view what, std::string_view rule) {
  if (ok_) findings_.Add(rule, finding::Severity::kError, at, {}, std::string(what));
  ok_ = false;
  return false;
}

bool TextReader::Next(encode::Tree* tree) {
  tree->Clear();
  top_fields_ = 0;
  ended_ = false;
  const char next = Peek();
  if (!ok_ || (next == 0 && started_)) return false;
  started_ = true;
  ended_ = false;
  tree->Open(NodeKind::kMap, at_);
  if (!Fields(0, tree)) return false;
  tree->Close();
  return true;
}

// Skips blanks and comments and returns the byte that comes next; 0 at the end of the text or of the message.
char TextReader::Peek() {
  while (ok_ && !ended_ && at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      SkipComment();
    } else if (IsBlank(c)) {
      ++at_;
    } else {
      if (c == 0) Fail(at_, "invalid control character");
      return c;
    }
  }
  return 0;
}

void TextReader::SkipComment() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  if (top_fields_ > 0 && text_.substr(at_, end - at_).starts_with("# proto-message:")) ended_ = true;
  at_ = end;
}

// Reads fields up to the closing bracket, which it does not take.
bool TextReader::Fields(char close, encode::Tree* tree) {
  while (const char next = Peek()) {
    if (next == close) return true;
    const bool top = close == 0;
    const std::size_t fields = std::exchange(top_fields_, 0);  // comments count between the fields at the top alone
    if (top && next == '[' && fields > 0) {
      ended_ = true;
      return true;
    }
    if (!Field(tree)) return false;
    const bool whole = top && next == '[';
    top_fields_ = top ? fields + 1 : 0;
    if (const char separator = Peek(); separator == ',' || separator == ';') ++at_;
    if (whole && Peek() != 0) {
      ended_ = true;
      return true;
    }
  }
  return ok_ && (close == 0 || Fail(text_.size(), fmt::format("unexpected end of the text: expected '{}'", close)));
}

bool TextReader::Field(encode::Tree* tree) {
  if (!(text_[at_] == '[' ? TypeName(tree) : Name(tree))) return false;
  char next = Peek();
  const bool colon = next == ':';
  if (colon) {
    ++at_;
    next = Peek();
  }
  if (!colon && next != '{' && next != '<' && next != '[') return ok_ && Fail(at_, "expected ':' and a value");
  return Value(tree);
}

bool TextReader::Name(encode::Tree* tree) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && (IsLetter(text_[at_]) || (at_ > begin && IsDigit(text_[at_])))) ++at_;
  if (at_ == begin) return Fail(at_, "expected a field name");
  tree->Key(text_.substr(begin, at_ - begin), begin);
  return true;
}

// Reads [type.googleapis.com/NAME]; blanks inside do not count.
bool TextReader::TypeName(encode::Tree* tree) {
  const std::size_t begin = at_;
  std::string name = "[";
  ++at_;
  while (Peek() != ']') {
    const char c = at_ < text_.size() && ok_ ? text_[at_] : '\0';
    const bool plain =
        IsLetter(c) || IsDigit(c) || (c != 0 && std::string_view("./-%~+").find(c) != std::string_view::npos);
    if (!plain) return Fail(at_, "expected a type URL and ']'");
    name.push_back(c);
    ++at_;
  }
  ++at_;
  name.push_back(']');
  tree->Key(tree->Keep(name), begin);
  return true;
}

bool TextReader::Value(encode::Tree* tree) {
  switch (Peek()) {
    case '{':
    case '<':
      return Message(tree);
    case '[':
      return List(tree);
    case '"':
    case '\'':
      return Text(tree);
    default:
      return ok_ && Word(tree);
  }
}

bool TextReader::Message(encode::Tree* tree) {
  const char close = text_[at_] == '{' ? '}' : '>';
  if (tree->depth() == kMaxDepth) return Fail(at_, "nested too deeply", finding::kTooDeepRule);
  tree->Open(NodeKind::kMap, at_++);
  if (!Fields(close, tree)) return false;
  ++at_;
  tree->Close();
  return true;
}

bool TextReader::List(encode::Tree* tree) {
  if (tree->depth() == kMaxDepth) return Fail(at_, "nested too deeply", finding::kTooDeepRule);
  tree->Open(NodeKind::kList, at_++);
  bool first = true;
  while (Peek() != ']') {
    if (!first && Peek() != ',') return ok_ && Fail(at_, "expected ',' or ']'");
    if (!std::exchange(first, false)) ++at_;
    if (Peek() == '[') return Fail(at_, "nested list");
    if (!Value(tree)) return false;
  }
  ++at_;
  tree->Close();
  return true;
}

// Reads one or more literals in a row, which are one text.
// What stands behind a text is looked at, as the text may go on there, and left: a comment may begin the next message.
bool TextReader::Text(encode::Tree* tree) {
  const std::size_t begin = at_;
  const char quote = text_[at_];
  const std::size_t end = text_.find_first_of("\"'\\\n", at_ + 1);
  if (end != std::string_view::npos && text_[end] == quote) {  // as it stands
    at_ = end + 1;
    const std::string_view plain = text_.substr(begin + 1, end - begin - 1);
    if (const char next = Peek(); next != '"' && next != '\'') {
      at_ = end + 1;
      tree->Scalar(NodeKind::kText, plain, begin);
      return ok_;
    }
    at_ = begin;
  }
  std::string whole;
  std::size_t behind = at_;
  for (char next = quote; next == '"' || next == '\''; next = Peek()) {
    if (!Literal(&whole)) return false;
    behind = at_;
  }
  at_ = behind;
  tree->Scalar(NodeKind::kText, tree->Keep(whole), begin);
  return ok_;
}

bool TextReader::Literal(std::string* out) {
  const std::size_t begin = at_;
  const char quote = text_[at_++];
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    if (text_[at_] != '\\') {
      out->push_back(text_[at_++]);
    } else if (!Escape(out)) {
      return false;
    }
  }
  if (at_ == text_.size() || text_[at_] == '\n') return Fail(begin, "unterminated string");
  ++at_;
  return true;
}

bool TextReader::Escape(std::string* out) {
  constexpr std::string_view kLetters = "abfnrtv\\?'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?'\"";
  const std::size_t begin = at_++;
  const char letter = at_ < text_.size() ? text_[at_] : '\0';
  int value = 0;
  std::size_t digits = 0;
  if (const std::size_t found = kLetters.find(letter); letter != 0 && found != std::string_view::npos) {
    out->push_back(kMeanings[found]);
    ++at_;
    return true;
  }
  if (letter == 'u' || letter == 'U') return Unicode(letter == 'u' ? 4 : 8, out);
  const bool hex = letter == 'x' || letter == 'X';
  if (hex) ++at_;
  while (at_ < text_.size() && digits < (hex ? 2U : 3U) && (hex ? HexValue(text_[at_]) >= 0 : IsOctal(text_[at_]))) {
    value = value * (hex ? 16 : 8) + HexValue(text_[at_++]);
    ++digits;
  }
  if (digits == 0) return Fail(begin, "invalid text proto escape");
  out->push_back(static_cast<char>(value));
  return true;
}

bool TextReader::Unicode(std::size_t digits, std::string* out) {
  const std::size_t begin = at_++;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    const int digit = at_ < text_.size() ? HexValue(text_[at_]) : -1;
    if (digit < 0) return Fail(begin, fmt::format("expected {} hexadecimal digits", digits));
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (surrogate && value < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    std::uint32_t low = 0;
    for (std::size_t i = at_ + 2; i < at_ + 6; ++i) {
      low = low << 4 | static_cast<std::uint32_t>(std::max(0, i < text_.size() ? HexValue(text_[i]) : 0));
    }
    if (low >= 0xDC00 && low <= 0xDFFF && text_.size() - at_ >= 6) {
      at_ += 6;
      AppendUtf8(0x10000 + ((value & 0x3FF) << 10 | (low & 0x3FF)), out);
      return true;
    }
  }
  if (surrogate || value > 0x10FFFF) return Fail(begin, "invalid Unicode code point");
  AppendUtf8(value, out);
  return true;
}

// Reads a number or a word, with a minus in front or without.
bool TextReader::Word(encode::Tree* tree) {
  const std::size_t begin = at_;
  const bool minus = text_.size() > at_ && text_[at_] == '-';
  if (minus) {
    ++at_;
    Peek();
  }
  const std::size_t word = at_;
  const char first = word < text_.size() ? text_[word] : '\0';
  const bool number = IsDigit(first) || first == '.';
  std::size_t end = number ? NumberEnd(word) : word;
  while (!number && end < text_.size() && (IsLetter(text_[end]) || (end > word && IsDigit(text_[end])))) ++end;
  const bool joined =
      number && end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]) || text_[end] == '.');
  if (end == word || joined || !ok_)
    return ok_ && Fail(word, number ? "invalid text proto number" : "expected a value");
  at_ = end;
  std::string_view text = text_.substr(begin, end - begin);
  if (minus && word != begin + 1) text = tree->Keep(fmt::format("-{}", text_.substr(word, end - word)));
  tree->Scalar(number ? NodeKind::kNumber : NodeKind::kSymbol, text, begin);
  return true;
}

// Returns where the number that begins at `begin` ends; `begin` when there is none.
std::size_t TextReader::NumberEnd(std::size_t begin) const {
  std::size_t i = begin;
  const auto at = [&](std::size_t where) { return where < text_.size() ? text_[where] : '\0'; };
  const auto digits = [&] {
    const std::size_t from = i;
    while (IsDigit(at(i))) ++i;
    return i > from;
  };
  if (at(i) == '0' && (at(i + 1) == 'x' || at(i + 1) == 'X')) {
    for (i += 2; HexValue(at(i)) >= 0;) ++i;
    return i == begin + 2 ? begin : i;
  }
  if (at(i) == '0' && IsDigit(at(i + 1))) {
    while (IsOctal(at(i))) ++i;
    return i;
  }
  const bool whole = digits();
  if (at(i) == '.') {
    ++i;
    if (!digits() && !whole) return begin;
  }
  if (at(i) == 'e' || at(i) == 'E') {
    ++i;
    if (at(i) == '+' || at(i) == '-') ++i;
    if (!digits()) return begin;
  }
  if (at(i) == 'f' || at(i) == 'F') ++i;
  return i;
}

}  // namespace xdscope::format
