#include "lib/format/yaml_flaw.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "lib/finding/reading_rules.h"

namespace xdscope::format {
namespace {

bool IsOneOf(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool IsWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
}

bool IsHex(char c) {
  return absl::ascii_isxdigit(static_cast<unsigned char>(c));
}

// yaml-cpp reads UTF-16 and UTF-32 too, and tells them by these first bytes.
bool IsUtf8Yaml(std::string_view text) {
  return !text.starts_with("\xFE\xFF") && !text.starts_with("\xFF\xFE") && text.substr(0, 2).find('\0') == text.npos;
}

// Goes from token to token as the scanner of yaml-cpp 0.7 does. Where a token begins, and so whether a quote or bracket
// in it counts, depends on that scanner's state: the open flow collections, the columns of the block collections (text
// goes on in the next line while it is indented more), and the keys that are not yet sure, each of which opens a block
// map on trial. So all of these are kept here, by the same rules and with the same oddities. A unit test compares the
// two on random texts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ = line_ = 3;  // is not counted in columns
  }

  std::optional<YamlFlaw> Run() {
    while (Step()) {
    }
    return flaw_;
  }

  // After Run(): the innermost flow collection that is still open.
  std::optional<OpenFlow> Open() const { return flows_.empty() ? std::nullopt : std::optional(flows_.back()); }

 private:
  enum class Block : std::uint8_t { kNone, kList, kMap };
  enum class Standing : std::uint8_t { kSure, kOnTrial, kRefuted };

  // A block collection that is open.
  struct Indent {
    std::ptrdiff_t column = -1;
    Block block = Block::kNone;
    Standing standing = Standing::kSure;
  };
  // Something that is a key if a ':' follows in its line.
  struct Key {
    std::size_t flows = 0;  // that are open around it
    std::size_t at = 0;
    std::size_t line = 0;
    std::size_t indent = kNoIndent;  // the block map that it opens on trial
  };
  static constexpr std::size_t kNoIndent = SIZE_MAX;

  // ---- The text.

  bool AtEnd() const { return at_ >= text_.size(); }
  bool IsAt(std::size_t at, char c) const { return at < text_.size() && text_[at] == c; }
  bool IsBlank(std::size_t at) const { return IsAt(at, ' ') || IsAt(at, '\t'); }
  bool IsBreak(std::size_t at) const { return IsAt(at, '\n') || (IsAt(at, '\r') && IsAt(at + 1, '\n')); }
  bool IsBlankOrBreak(std::size_t at) const { return IsBlank(at) || IsBreak(at); }
  bool EndsWord(std::size_t at) const { return at >= text_.size() || IsBlankOrBreak(at); }
  std::ptrdiff_t Column() const { return static_cast<std::ptrdiff_t>(at_ - line_); }
  bool InFlow() const { return !flows_.empty(); }

  void TakeBreak() {
    at_ += text_[at_] == '\r' ? 2 : 1;
    line_ = at_;
  }
  void SkipLine() {
    while (!AtEnd() && !IsBreak(at_)) ++at_;
  }
  bool IsDocumentMark() const {
    const std::string_view mark = text_.substr(at_, 3);
    return Column() == 0 && (mark == "---" || mark == "...") && EndsWord(at_ + 3);
  }

  // ---- Keys and block collections.

  std::size_t OpenBlock(Block block) {
    const Indent& last = indents_.back();
    const bool list_in_map = block == Block::kList && last.block == Block::kMap;
    if (InFlow() || Column() < last.column || (Column() == last.column && !list_in_map)) return kNoIndent;
    indents_.push_back({Column(), block});
    return indents_.size() - 1;
  }

  void CloseBlock() {
    const bool sure = indents_.back().standing == Standing::kSure;
    indents_.pop_back();
    if (!sure) DropKey();
  }

  void CloseBlocksHere() {
    if (InFlow()) return;
    while (indents_.back().column > Column() || (indents_.back().column == Column() && EndsListHere())) CloseBlock();
    while (indents_.back().standing == Standing::kRefuted) CloseBlock();
  }
  bool EndsListHere() const { return indents_.back().block == Block::kList && !(IsAt(at_, '-') && EndsWord(at_ + 1)); }

  void BeginKey() {
    if (!key_allowed_ || (!keys_.empty() && keys_.back().flows == flows_.size())) return;
    if (keys_.empty()) held_ = 0;
    Key key{flows_.size(), at_, line_, OpenBlock(Block::kMap)};
    if (key.indent != kNoIndent) indents_[key.indent].standing = Standing::kOnTrial;
    keys_.push_back(key);
  }

  // Decides on the key of this level, if there is one.
  bool EndKey(bool sure) {
    if (keys_.empty() || keys_.back().flows != flows_.size()) return false;
    const Key key = keys_.back();
    keys_.pop_back();
    if (key.indent < indents_.size()) indents_[key.indent].standing = sure ? Standing::kSure : Standing::kRefuted;
    return sure;
  }
  void DropKey() { EndKey(false); }
  bool VerifyKey() {
    constexpr std::size_t kLongestKey = 1024;
    return !keys_.empty() && EndKey(keys_.back().line == line_ && at_ - keys_.back().at <= kLongestKey);
  }

  // ---- Tokens. Each returns false where yaml-cpp stops, by itself or because of a flaw.

  bool Refuse(std::size_t at, std::string_view rule, std::string_view what) {
    flaw_ = YamlFlaw{at, rule, what};
    return false;
  }

  void SkipToToken() {
    for (;; DropKey()) {
      for (; IsBlank(at_); ++at_) key_allowed_ = key_allowed_ && (InFlow() || text_[at_] == ' ');
      if (IsAt(at_, '#')) SkipLine();
      if (!IsBreak(at_)) return;
      TakeBreak();
      key_allowed_ = key_allowed_ || !InFlow();
    }
  }

  bool Step() {
    SkipToToken();
    if (AtEnd()) return false;
    CloseBlocksHere();
    if (!keys_.empty() && ++held_ > kMostTokensHeld) {
      return Refuse(keys_.front().at, finding::kSyntaxRule, "too many values in one flow collection: write it as JSON");
    }
    if (indents_.size() > kMostFlows + 2) return false;  // the reader refuses such a depth, and holds nothing before
    const char c = text_[at_];
    if (Column() == 0 && (c == '%' || IsDocumentMark())) return Mark(c == '%');
    if (c == '[' || c == '{') return BeginFlow(c);
    if (c == ']' || c == '}') return EndFlow(c);
    if (c == ',') return Comma();
    if (c == '-' && EndsWord(at_ + 1)) return Dash();
    if (c == '?' && IsBlankOrBreak(at_ + 1)) return Question();
    if (c == ':' && IsColon()) return Colon();
    if (c == '*' || c == '&') return Anchor();
    if (c == '!') return Tag();
    if ((c == '|' || c == '>') && !InFlow()) return BlockText();
    if (c == '\'' || c == '"') return Quote(c);
    return Plain();
  }

  // A directive or a mark between documents.
  bool Mark(bool directive) {
    if (!InFlow()) indents_.resize(1);
    keys_.clear();
    key_allowed_ = after_json_ = false;
    directive ? SkipLine() : static_cast<void>(at_ += 3);
    return true;
  }

  bool BeginFlow(char c) {
    if (flows_.size() == kMostFlows) return Refuse(at_, finding::kTooDeepRule, "nested too deeply");
    BeginKey();
    flows_.push_back({c, at_});
    key_allowed_ = true;
    after_json_ = false;
    ++at_;
    return true;
  }

  void EndEntry() {
    if (!InFlow()) return;
    flows_.back().bracket == '{' ? static_cast<void>(VerifyKey()) : DropKey();
  }

  bool EndFlow(char c) {
    if (!InFlow() || flows_.back().bracket != (c == ']' ? '[' : '{')) return false;
    EndEntry();
    flows_.pop_back();
    key_allowed_ = false;
    after_json_ = true;
    ++at_;
    return true;
  }

  bool Comma() {
    EndEntry();
    key_allowed_ = true;
    after_json_ = false;
    ++at_;
    return true;
  }

  bool Dash() {
    if (InFlow() || !key_allowed_) return false;
    OpenBlock(Block::kList);
    after_json_ = false;
    ++at_;
    return true;
  }

  bool Question() {
    if (!InFlow() && !key_allowed_) return false;
    OpenBlock(Block::kMap);
    key_allowed_ = !InFlow();
    ++at_;
    return true;
  }

  bool IsColon() const {
    if (!InFlow()) return EndsWord(at_ + 1);
    return after_json_ || IsBlankOrBreak(at_ + 1) || (at_ + 1 < text_.size() && IsOneOf(text_[at_ + 1], ",]}"));
  }

  bool Colon() {
    const bool simple = VerifyKey();
    after_json_ = false;
    if (!simple && !InFlow() && !key_allowed_) return false;
    if (!simple) OpenBlock(Block::kMap);
    key_allowed_ = !simple && !InFlow();
    ++at_;
    return true;
  }

  void BeginProperty() {
    BeginKey();
    key_allowed_ = after_json_ = false;
    ++at_;
  }

  bool Anchor() {
    BeginProperty();
    const std::size_t name = at_;
    while (!AtEnd() && !IsOneOf(text_[at_], "[]{},") && !IsBlankOrBreak(at_)) ++at_;
    return at_ > name && (AtEnd() || !IsOneOf(text_[at_], "[{"));
  }

  bool Tag() {
    BeginProperty();
    if (IsAt(at_, '<')) {
      while (!AtEnd() && !IsBlankOrBreak(at_) && text_[at_] != '>') ++at_;
      return !AtEnd() && text_[at_++] == '>';
    }
    while (!AtEnd() && IsWord(text_[at_])) ++at_;
    if (IsAt(at_, '!')) ++at_;  // "!handle!name"
    while (!AtEnd() && (IsWord(text_[at_]) || IsOneOf(text_[at_], "#;/?:@&=+$_.~*'()") || IsPercentCode())) ++at_;
    return true;
  }
  bool IsPercentCode() const {
    return text_[at_] == '%' && at_ + 2 < text_.size() && IsHex(text_[at_ + 1]) && IsHex(text_[at_ + 2]);
  }

  // Text after '|' or '>': lines that are indented more than the collection around it.
  bool BlockText() {
    std::ptrdiff_t indent = 1;
    bool detect = true;
    ++at_;
    for (int i = 0; i < 2 && !AtEnd() && IsOneOf(text_[at_], "+-123456789"); ++i, ++at_) {
      if (IsOneOf(text_[at_], "+-")) continue;
      indent = text_[at_] - '0';
      detect = false;
    }
    while (IsBlank(at_)) ++at_;
    if (IsAt(at_, '#')) SkipLine();
    if (!AtEnd() && !IsBreak(at_)) return false;
    indent += std::max<std::ptrdiff_t>(indents_.back().column, 0);
    while (!AtEnd()) {
      TakeBreak();
      while (IsAt(at_, ' ') && (Column() < indent || detect)) ++at_;
      if (detect) indent = std::max(indent, Column());
      if (IsBreak(at_)) continue;
      if (Column() < indent) break;
      detect = false;
      SkipLine();
    }
    key_allowed_ = true;
    after_json_ = false;
    return true;
  }

  // A mark between documents ends the text inside a quote too: yaml-cpp refuses that, but at the mark.
  bool Quote(char quote) {
    BeginKey();
    const std::size_t begin = at_, line = line_;
    const bool closed = SkipQuote(quote);
    if (!closed || (line != line_ && RunsOn())) return Refuse(begin, finding::kOpenQuoteRule, "unterminated quote");
    key_allowed_ = false;
    after_json_ = true;
    return true;
  }

  // Returns true behind a quote where yaml-cpp refuses what follows. A quote of several lines went on to the next one
  // then, which was to open a text of its own: "a: 'b" above "c: 'd'".
  bool RunsOn() const {
    if (EndsWord(at_) || IsOneOf(text_[at_], ":,]}#")) return false;
    // Outside of all collections it would be the next document.
    const bool in_block = indents_.size() > 1 && indents_[1].standing == Standing::kSure;
    return InFlow() || (in_block && indents_[1].column < Column());
  }

  bool SkipQuote(char quote) {
    for (++at_; !AtEnd() && !IsDocumentMark(); ++at_) {
      const bool escape = quote == '"' ? text_[at_] == '\\' : text_[at_] == '\'' && IsAt(at_ + 1, '\'');
      if (escape && !IsBreak(at_ + 1)) {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return true;
      } else if (text_[at_] == '\n') {
        line_ = at_ + 1;
      }
    }
    return false;
  }

  bool BeginsPlain() const {
    const char c = text_[at_];
    if (IsOneOf(c, InFlow() ? "?,[]{}#&*!|>'\"%@`" : ",[]{}#&*!|>'\"%@`")) return false;
    return !IsOneOf(c, InFlow() ? "-:" : "-?:") ||
           !(InFlow() ? IsBlank(at_ + 1) || at_ + 1 == text_.size() : EndsWord(at_ + 1));
  }

  bool EndsPlain() const {
    if (IsBlankOrBreak(at_)) return IsAt(IsAt(at_, '\r') ? at_ + 2 : at_ + 1, '#');
    if (AtEnd()) return false;
    const char c = text_[at_];
    if (InFlow() && IsOneOf(c, ",?[]{}")) return true;
    const bool flow_end = InFlow() && at_ + 1 < text_.size() && IsOneOf(text_[at_ + 1], ",]}");
    return c == ':' && (EndsWord(at_ + 1) || flow_end);
  }

  // Text without quotes. It goes on in the next line while that is indented more than the collection around it.
  bool Plain() {
    if (!BeginsPlain()) return false;
    const std::ptrdiff_t indent = InFlow() ? 0 : indents_.back().column + 1;
    BeginKey();
    key_allowed_ = after_json_ = false;
    for (;;) {
      while (!AtEnd() && !EndsPlain() && !IsBreak(at_) && !IsDocumentMark()) ++at_;
      if (AtEnd() || EndsPlain() || IsDocumentMark()) return true;
      TakeBreak();
      while (IsBlank(at_) && !EndsPlain()) {
        if (text_[at_] == '\t' && Column() < indent) return false;
        ++at_;
      }
      if (IsBreak(at_) || Column() >= indent) continue;
      key_allowed_ = true;
      return true;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;     // where the line begins
  bool key_allowed_ = true;  // a key may begin here
  bool after_json_ = false;  // behind a quote or bracket: there ':' alone ends a key in a flow
  std::vector<OpenFlow> flows_;
  std::vector<Indent> indents_{1};  // the first is none
  std::vector<Key> keys_;
  std::size_t held_ = 0;  // tokens since the first of keys_
  std::optional<YamlFlaw> flaw_;
};

}  // namespace

std::optional<YamlFlaw> FindYamlFlaw(std::string_view text) {
  if (!IsUtf8Yaml(text)) return YamlFlaw{0, finding::kSyntaxRule, "YAML has to be UTF-8"};
  return Scanner(text).Run();
}

std::optional<OpenFlow> FindOpenFlow(std::string_view text, std::size_t offset) {
  Scanner scanner(text.substr(0, offset));
  scanner.Run();
  return scanner.Open();
}

}  // namespace xdscope::format
