#include "lib/format/yaml_scalar.h"

#include <algorithm>
#include <array>

#include "lib/format/utf8.h"

namespace xdscope::format {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// What a byte means for the style of the text it stands in.
enum class Byte : std::uint8_t {
  kSafe,      // anywhere
  kNotFirst,  // but not as the first
  kQuote,     // '"' and '\': not as the first; single quotes then
  kColon,
  kHash,
  kSpace,
  kTab,
  kNewline,
  kControl,  // needs an escape
  kHigh,     // part of a character above U+007F
};

constexpr std::array<Byte, 256> kBytes = [] {
  std::array<Byte, 256> bytes{};
  for (std::size_t i = 0; i < 256; ++i) {
    bytes[i] = i < 0x20 || i == 0x7F ? Byte::kControl : i < 0x80 ? Byte::kSafe : Byte::kHigh;
  }
  for (const char c : std::string_view("-?,[]{}&*!|>'%@`")) bytes[static_cast<unsigned char>(c)] = Byte::kNotFirst;
  bytes['"'] = Byte::kQuote;
  bytes['\\'] = Byte::kQuote;
  bytes[':'] = Byte::kColon;
  bytes['#'] = Byte::kHash;
  bytes[' '] = Byte::kSpace;
  bytes['\t'] = Byte::kTab;
  bytes['\n'] = Byte::kNewline;
  return bytes;
}();

Byte ByteOf(char c) {
  return kBytes[static_cast<unsigned char>(c)];
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

// Words that some version of YAML reads as something else: null, a boolean, a merge.
bool IsWord(std::string_view text) {
  constexpr std::string_view kWords[] = {"~",   "null", "true", "false", "yes", "no",   "on",
                                         "off", "y",    "n",    "=",     "<<",  ".nan", ".inf"};
  return text.size() <= 5 && std::any_of(std::begin(kWords), std::end(kWords),
                                         [text](std::string_view word) { return EqualsIgnoringCase(text, word); });
}

bool AllOf(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// "2001-01-01" and whatever follows it.
bool IsDate(std::string_view text) {
  return text.size() >= 6 && std::all_of(text.begin(), text.begin() + 4, IsDigit) && text[4] == '-' && IsDigit(text[5]);
}

// Everything that some version of YAML reads as a number or a time, and a little more: 010, 1e3, 0x1f, 1_000, 1:30.
// An address such as 10.0.0.1 is none.
bool IsNumber(std::string_view text) {
  if (text[0] == '+' || text[0] == '-') text.remove_prefix(1);
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.')) return false;
  if (IsWord(text) || IsDate(text)) return true;
  if (text.size() > 2 && text[0] == '0' && AllOf(text.substr(1, 1), "xXoObB")) {
    return AllOf(text.substr(2), "0123456789abcdefABCDEF_");
  }
  return AllOf(text, "0123456789_.:eE+-") && std::count(text.begin(), text.end(), '.') <= 1;
}

// What one pass over a text finds.
struct Found {
  bool plain = true;    // no byte stands where it would mean something
  bool quote = false;   // '"' or '\'
  bool escape = false;  // something that only double quotes can hold
  bool tab = false;     // which only blocks and double quotes hold
  bool lines = false;
};

// What a byte that is not always safe says about its text.
void LookAt(std::string_view text, std::size_t i, Found& found) {
  const bool first = i == 0;
  const bool last = i + 1 == text.size();
  switch (ByteOf(text[i])) {
    case Byte::kNotFirst:
      found.plain = found.plain && !first;
      break;
    case Byte::kQuote:
      found.quote = true;
      found.plain = found.plain && !(first && text[0] == '"');
      break;
    case Byte::kColon:
      found.plain = found.plain && !first && !last && text[i + 1] != ' ';
      break;
    case Byte::kHash:
      found.plain = found.plain && !first && text[i - 1] != ' ';
      break;
    case Byte::kSpace:
      found.plain = found.plain && !first && !last;
      break;
    case Byte::kTab:
      found.tab = true;
      break;
    case Byte::kNewline:
      found.lines = true;
      break;
    case Byte::kHigh:
      found.escape = found.escape || IsHidden(ReadUtf8(text.substr(i)).value);
      break;
    case Byte::kControl:
      found.escape = true;
      break;
    case Byte::kSafe:
      break;
  }
}

Found Look(std::string_view text) {
  Found found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Byte byte = ByteOf(text[i]);
    if (byte == Byte::kSafe) continue;
    LookAt(text, i, found);
    if (byte == Byte::kHigh) i += ReadUtf8(text.substr(i)).length - 1;
  }
  found.plain = found.plain && !found.tab && !found.lines && !found.escape;
  return found;
}

// Lines that a block holds without tricks: no blank in front of the first, no line of blanks only, at most one line end
// behind the last.
bool FitsBlock(std::string_view text) {
  if (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text.ends_with("\n\n")) return false;
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty() && line.find_first_not_of(" \t") == std::string_view::npos) return false;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

void AppendSingle(Output& out, std::string_view text) {
  out.Append('\'');
  while (true) {
    const std::size_t quote = text.find('\'');
    out.Append(text.substr(0, quote));
    if (quote == std::string_view::npos) break;
    out.Append("''");
    text.remove_prefix(quote + 1);
  }
  out.Append('\'');
}

void AppendHex(Output& out, std::uint32_t value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const int digits = value <= 0xFF ? 2 : value <= 0xFFFF ? 4 : 8;
  out.Append(digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U");
  for (int i = digits - 1; i >= 0; --i) out.Append(kHex[value >> (4 * i) & 15]);
}

// The escape of a byte below U+0080 inside double quotes.
void AppendEscape(Output& out, char c) {
  constexpr std::string_view kNamed = "\t\n\r\"\\";
  constexpr std::string_view kLetters = "tnr\"\\";
  const std::size_t named = kNamed.find(c);
  if (named == std::string_view::npos) return AppendHex(out, static_cast<unsigned char>(c));
  out.Append('\\');
  out.Append(kLetters[named]);
}

// How many bytes from the start of `text` stand in double quotes as they are.
std::size_t Bare(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Byte byte = ByteOf(text[i]);
    if (byte >= Byte::kTab && byte <= Byte::kControl) break;
    if (byte == Byte::kQuote) break;
    if (byte == Byte::kHigh) {
      const Utf8Character high = ReadUtf8(text.substr(i));
      if (IsHidden(high.value)) break;
      i += high.length - 1;
    }
    ++i;
  }
  return i;
}

void AppendDouble(Output& out, std::string_view text) {
  out.Append('"');
  while (true) {
    const std::size_t bare = Bare(text);
    out.Append(text.substr(0, bare));
    text.remove_prefix(bare);
    if (text.empty()) break;
    if (ByteOf(text[0]) == Byte::kHigh) {
      const Utf8Character high = ReadUtf8(text);
      AppendHex(out, high.value);
      text.remove_prefix(high.length);
    } else {
      AppendEscape(out, text[0]);
      text.remove_prefix(1);
    }
  }
  out.Append('"');
}

void AppendBlock(Output& out, std::string_view text, std::size_t indent) {
  out.Append(text.ends_with('\n') ? "|" : "|-");
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    out.Append('\n');
    if (!line.empty()) out.Fill(' ', indent);
    out.Append(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

// A text may stand bare only where no reader takes it for anything else: not as syntax (a colon and a blank, a dash in
// front), not as another type. For the latter no one list will do: YAML 1.1 reads "yes", "010", "1e3" and "1:30" as a
// boolean and numbers, YAML 1.2 does not, and Go's, Python's and Envoy's readers each follow another mixture. So
// whatever any of them might take for a number, a word or a date is quoted, and a few texts too many are. Single quotes
// are used where they make a text with '"' or '\' readable; only double quotes can hold what needs an escape.
ScalarStyle StyleOf(std::string_view text) {
  if (text.empty()) return ScalarStyle::kDouble;
  const Found found = Look(text);
  const bool ends_document = text.starts_with("...");
  if (found.plain && !ends_document && !IsWord(text) && !IsNumber(text)) return ScalarStyle::kPlain;
  if (found.lines) return !found.escape && FitsBlock(text) ? ScalarStyle::kBlock : ScalarStyle::kDouble;
  return found.quote && !found.escape && !found.tab ? ScalarStyle::kSingle : ScalarStyle::kDouble;
}

void AppendScalar(Output& out, std::string_view text, ScalarStyle style, std::size_t indent) {
  switch (style) {
    case ScalarStyle::kPlain:
      return out.Append(text);
    case ScalarStyle::kSingle:
      return AppendSingle(out, text);
    case ScalarStyle::kDouble:
      return AppendDouble(out, text);
    case ScalarStyle::kBlock:
      return AppendBlock(out, text, indent);
  }
}

}  // namespace xdscope::format
