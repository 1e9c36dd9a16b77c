#include "lib/format/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/fields.h"
#include "lib/format/text.h"
#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

using encode::NodeKind;

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '$';
}

// Returns the length of a number by JSON's grammar at the front of `text`; 0 when there is none.
std::size_t NumberLength(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i > begin;
  };
  const auto is = [&](std::string_view set) { return i < text.size() && set.find(text[i]) != std::string_view::npos; };
  if (is("-")) ++i;
  const bool zero = is("0");
  const std::size_t begin = i;
  if (!digits() || (zero && i > begin + 1)) return 0;
  if (is(".")) {
    ++i;
    if (!digits()) return 0;
  }
  if (is("eE")) {
    ++i;
    if (is("+-")) ++i;
    if (!digits()) return 0;
  }
  return i;
}

}  // namespace

// The reader goes through the text once, from left to right, and looks one byte ahead. What Envoy takes beyond JSON's
// grammar is taken where it is met (Take), so that there is no second, lenient grammar to keep in step with the first;
// each liberty is said once for a file, since a file that takes one takes it everywhere. Text without escapes stays in
// the source: the tree refers to it, and only a string with escapes is copied.
//
// After the first syntax error nothing that follows is trusted: ok() stays false and every further step fails without a
// finding of its own, so that one missing bracket is one finding.
bool JsonReader::Fail(std::size_t at, std::string_view rule, std::string_view what) {
  if (ok_) findings_->Add(rule, finding::Severity::kError, at, {}, std::string(what));
  ok_ = false;
  return false;
}

bool JsonReader::FailHere(std::string_view expected) {
  const char next = Peek();
  if (at_ == text_.size()) return Fail(at_, fmt::format("unexpected end of the text: expected {}", expected));
  const bool plain = next > 0x20 && next < 0x7F;
  return Fail(at_, plain ? fmt::format("expected {}, not '{}'", expected, next) : fmt::format("expected {}", expected));
}

void JsonReader::Take(Liberty liberty, std::size_t at, std::string_view what) {
  if ((taken_ & liberty) == 0) {
    findings_->Add(finding::kLenientSyntaxRule, finding::Severity::kWarning, at, {}, std::string(what));
  }
  taken_ |= liberty;
}

char JsonReader::Peek() {
  if (!ok_) return 0;
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  if (at_ == text_.size()) return 0;
  if (text_[at_] == 0) Fail(at_, "invalid control character");
  return text_[at_];
}

bool JsonReader::Value(encode::Tree* tree) {
  const char next = Peek();
  if (!ok_) return false;
  if (next == '{') return Nested(NodeKind::kMap, tree);
  if (next == '[') return Nested(NodeKind::kList, tree);
  if (next == '"' || next == '\'') {
    const std::size_t begin = at_;
    std::string_view value;
    if (!String(&value, tree)) return false;
    tree->Scalar(NodeKind::kText, value, begin);
    return true;
  }
  return next == '-' || IsDigit(next) ? Number(tree) : Word(tree);
}

bool JsonReader::Nested(NodeKind kind, encode::Tree* tree) {
  tree->Open(kind, at_);
  Steps steps(*this);
  while (steps.Next(tree)) {
    if (kind == NodeKind::kMap) tree->Key(steps.key(), steps.key_offset());
    if (!Value(tree)) return false;
  }
  if (ok_) tree->Close();
  return ok_;
}

JsonReader::Steps::Steps(JsonReader& reader) : reader_(reader), close_(reader.Peek() == '{' ? '}' : ']') {
  if (!reader_.ok_) return;
  if (++reader_.depth_ > kMaxDepth) {
    reader_.Fail(reader_.at_, finding::kTooDeepRule, "nested too deeply");
    return;
  }
  ++reader_.at_;
}

// Goes to the next element; returns false when it has met and taken the closing bracket.
bool JsonReader::Steps::Advance() {
  char next = reader_.Peek();
  if (!first_ && next == ',') {
    const std::size_t comma = reader_.at_++;
    next = reader_.Peek();
    if (next == close_) reader_.Take(kTrailingComma, comma, "trailing comma");
  } else if (!first_ && next != close_) {
    return reader_.FailHere(close_ == '}' ? "',' or '}'" : "',' or ']'");
  }
  first_ = false;
  if (next != close_) return reader_.ok_;
  ++reader_.at_;
  --reader_.depth_;
  return false;
}

bool JsonReader::Steps::Next(encode::Tree* tree) {
  if (!reader_.ok_ || !Advance()) return false;
  if (close_ == ']') return true;
  key_offset_ = reader_.at_;
  if (!reader_.Key(&key_, tree)) return false;
  if (reader_.Peek() != ':') return reader_.FailHere("':'");
  ++reader_.at_;
  return true;
}

bool JsonReader::Key(std::string_view* key, encode::Tree* tree) {
  const char next = Peek();
  if (next == '"' || next == '\'') return String(key, tree);
  const std::size_t begin = at_;
  if (!IsWordCharacter(next) || IsDigit(next)) return FailHere("a key in quotes");
  while (at_ < text_.size() && IsWordCharacter(text_[at_])) ++at_;
  *key = text_.substr(begin, at_ - begin);
  Take(kBareKey, begin, "unquoted key");
  return true;
}

bool JsonReader::String(std::string_view* value, encode::Tree* tree) {
  const char quote = text_[at_];
  const std::size_t begin = at_;
  if (quote == '\'') Take(kSingleQuotes, begin, "single-quoted string");
  bool high = false;
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == quote || c == '\\') break;
    if (static_cast<unsigned char>(c) >= 0x20) {
      high = high || static_cast<unsigned char>(c) >= 0x80;
    } else {
      Take(kControlCharacter, at_, "control character in a string");
    }
  }
  if (at_ == text_.size()) return Fail(begin, "unterminated string");
  if (text_[at_] == '\\') return Escaped(begin, quote, value, tree);
  *value = text_.substr(begin + 1, at_++ - begin - 1);
  if (!high || base::IsUtf8(*value)) return true;
  // The reader goes on: only the resource around this text is lost.
  findings_->Add(finding::kSyntaxRule, finding::Severity::kError, begin, {}, "invalid UTF-8");
  std::string space;
  *value = tree->Keep(Repaired(*value, space));
  return true;
}

// Reads the rest of a string from its first escape on.
bool JsonReader::Escaped(std::size_t begin, char quote, std::string_view* value, encode::Tree* tree) {
  std::string out(text_.substr(begin + 1, at_ - begin - 1));
  while (at_ < text_.size() && text_[at_] != quote) {
    const char c = text_[at_];
    if (c == '\\') {
      if (!Escape(&out)) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) Take(kControlCharacter, at_, "control character in a string");
    out.push_back(c);
    ++at_;
  }
  if (at_ == text_.size()) return Fail(begin, "unterminated string");
  ++at_;
  std::string space;
  const std::string_view repaired = Repaired(out, space);
  if (repaired.data() != out.data()) {
    findings_->Add(finding::kSyntaxRule, finding::Severity::kError, begin, {}, "invalid UTF-8");
  }
  *value = tree->Keep(repaired);
  return true;
}

bool JsonReader::Escape(std::string* out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt'";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t'";
  if (at_ + 1 >= text_.size()) return Fail(at_, "unterminated string");
  const char letter = text_[at_ + 1];
  if (letter == '\'' || letter == 'U') Take(kOddEscape, at_, "nonstandard JSON escape");
  if (letter == 'u' || letter == 'U') return UnicodeEscape(out);
  const std::size_t found = kLetters.find(letter);
  if (found == std::string_view::npos) return Fail(at_, "invalid JSON escape");
  out->push_back(kMeanings[found]);
  at_ += 2;
  return true;
}

bool JsonReader::Hex4(std::uint32_t* value) {
  *value = 0;
  if (text_.size() - at_ < 6) return Fail(at_, "expected four hexadecimal digits");
  for (const char c : text_.substr(at_ + 2, 4)) {
    const int digit = IsDigit(c)             ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Fail(at_, "expected four hexadecimal digits");
    *value = *value << 4 | static_cast<std::uint32_t>(digit);
  }
  at_ += 6;
  return true;
}

bool JsonReader::UnicodeEscape(std::string* out) {
  const std::size_t begin = at_;
  std::uint32_t c = 0;
  if (!Hex4(&c)) return false;
  if (c >= 0xDC00 && c <= 0xDFFF) return Fail(begin, "unpaired surrogate");
  if (c >= 0xD800 && c <= 0xDBFF) {
    std::uint32_t low = 0;
    const bool escape = text_.substr(at_, 2) == "\\u";
    if (!escape) return Fail(begin, "unpaired surrogate");
    if (!Hex4(&low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return Fail(begin, "unpaired surrogate");
    c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
  }
  AppendUtf8(c, out);
  return true;
}

bool JsonReader::Number(encode::Tree* tree) {
  const std::size_t length = NumberLength(text_.substr(at_));
  const std::size_t end = at_ + length;
  const bool ends =
      end == text_.size() || IsBlank(text_[end]) || text_[end] == ',' || text_[end] == ']' || text_[end] == '}';
  if (length == 0 || !ends) return Fail(at_, "invalid JSON number");
  tree->Scalar(NodeKind::kNumber, text_.substr(at_, length), at_);
  at_ = end;
  return true;
}

bool JsonReader::Word(encode::Tree* tree) {
  std::size_t end = at_;
  while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
  const std::string_view word = text_.substr(at_, end - at_);
  if (word == "null") {
    tree->Scalar(NodeKind::kNull, {}, at_);
  } else if (word == "true" || word == "false") {
    tree->Scalar(NodeKind::kBool, word, at_);
  } else {
    return FailHere("a value");
  }
  at_ = end;
  return true;
}

}  // namespace xdscope::format
