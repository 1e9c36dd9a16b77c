#include "lib/format/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <new>
#include <optional>
#include <streambuf>
#include <utility>
#include <vector>

#include "lib/base/fields.h"
#include "lib/finding/reading_rules.h"
#include "lib/format/text.h"
#include "lib/format/yaml_flaw.h"
#include "lib/format/yaml_hint.h"

namespace xdscope::format {
namespace {

using encode::NodeKind;

// Makes a stream of a text without copying it.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // it is only read
    setg(begin, begin, begin + text.size());
  }
};

// Begins no token, so yaml-cpp goes no further.
constexpr std::string_view kNoToken = "@";

// Ends the parser from inside an event.
struct Stop {};

// "Yes", "yes", "YES", but not "yEs".
bool IsWordInOneCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto as_lower = [&](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; };
  if (!std::equal(text.begin(), text.end(), lower.begin(), [&](char a, char b) { return as_lower(a) == b; })) {
    return false;
  }
  const std::string_view rest = text.substr(1);
  const bool rest_lower = std::none_of(rest.begin(), rest.end(), is_upper);
  return rest_lower || std::all_of(text.begin(), text.end(), is_upper);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return IsWordInOneCase(text, word); });
}

// Reads a number as std::istream does with any base, since Envoy reads scalars by yaml-cpp's as<int64_t>(): a sign,
// then 0x…, 0… or decimal digits. That is why 010 is 8, although YAML 1.2 has it for 10.
bool ReadWholeNumber(std::string_view text, std::int64_t* number, bool* octal) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int radix = 10;
  if (text.size() > 1 && text[0] == '0') radix = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
  if (radix == 16) text.remove_prefix(2);
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, size, radix);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error != std::errc() || at != end || size > kMost + (negative ? 1 : 0)) return false;
  *number = static_cast<std::int64_t>(negative ? 0 - size : size);
  *octal = radix == 8 && size > 7;
  return true;
}

}  // namespace

PlainScalar TypePlainScalar(std::string_view text) {
  if (IsOneOf(text, {"y", "yes", "true", "on"})) return {NodeKind::kBool, "true"};
  if (IsOneOf(text, {"n", "no", "false", "off"})) return {NodeKind::kBool, "false"};
  std::int64_t number = 0;
  bool octal = false;
  if (!ReadWholeNumber(text, &number, &octal)) return {NodeKind::kText, std::string(text)};
  const bool small =
      number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max();
  return {small ? NodeKind::kNumber : NodeKind::kText, fmt::format("{}", number), octal};
}

// Makes a tree of yaml-cpp's events: its parser keeps the place of each, which its nodes lose. In a map keys and values
// come in turn and look alike, so `wants_key` tells them apart.
//
// An alias is expanded at once, as a copy of the rows of its value: whoever reads the tree sees plain values. Ten
// aliases of ten aliases of ten … make a small text large, and so do many of one long text, so what they stand for is
// counted in bytes and ends at kMaxRepeated; and since a value is copied only when it is complete, none contains
// itself. A copy may stand deeper than the original did, so its depth is checked again.
//
// Where the text has a flaw, yaml-cpp is given what stands before it and then kNoToken: it says what is wrong earlier,
// if anything is, and else stops at the flaw.
//
// An exception (Stop) is the only way out of yaml-cpp's loop; it ends in Next().
struct YamlReader::State : public YAML::EventHandler {
  State(std::string_view text_given, encode::Findings* findings_given)
      : text(text_given),
        findings(*findings_given),
        flaw(FindYamlFlaw(text)),
        before_flaw(flaw ? fmt::format("{}{}", text.substr(0, flaw->offset), kNoToken) : ""),
        buffer(flaw ? before_flaw : text),
        stream(&buffer) {
    if (text.starts_with("\xEF\xBB\xBF")) skipped = 3;  // is not counted in marks
  }

  // yaml-cpp makes of a comma at the top one empty document after another, at the same place for ever.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= document_begin) Refuse(mark, finding::kSyntaxRule, "unexpected token");
    document_begin = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (WantsKey()) return AddKey(mark, anchor, "", "null");
    Remember(anchor);
    tree->Scalar(NodeKind::kNull, {}, OffsetOf(mark));
    Added();
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (WantsKey()) return AddKey(mark, anchor, tag, value);
    Remember(anchor);
    AddScalar(mark, tag, value);
    Added();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(NodeKind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(NodeKind::kMap, mark, anchor);
  }
  void OnMapEnd() override { Close(); }

  bool WantsKey() const { return !wants_key.empty() && wants_key.back() == 1; }
  // Notes that a value was added: in a map a key comes next.
  void Added() {
    if (!wants_key.empty() && wants_key.back() == 0) wants_key.back() = 1;
  }
  void Open(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (WantsKey()) Refuse(mark, finding::kSyntaxRule, "a map key must be a scalar");
    if (tree->depth() == kMaxDepth) Refuse(mark, finding::kTooDeepRule, "nested too deeply");
    Remember(anchor);
    tree->Open(kind, OffsetOf(mark));
    wants_key.push_back(kind == NodeKind::kMap ? 1 : 2);
  }
  void Close() {
    tree->Close();
    wants_key.pop_back();
    Added();
  }
  void Remember(YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    if (anchors.size() <= anchor) anchors.resize(anchor + 1, kNoRow);
    anchors[anchor] = tree->next();
  }

  void AddKey(const YAML::Mark& mark, YAML::anchor_t anchor, std::string_view tag, const std::string& value);
  void AddScalar(const YAML::Mark& mark, std::string_view tag, const std::string& value);
  std::string_view Kept(const YAML::Mark& mark, std::string_view value);

  std::size_t OffsetOf(const YAML::Mark& mark) const {
    const std::size_t at = mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos) + skipped;
    return std::min(at, text.size());
  }
  [[noreturn]] void Refuse(const YAML::Mark& mark, std::string_view rule, std::string_view what) {
    Say(finding::Severity::kError, rule, OffsetOf(mark), what);
    throw Stop();
  }
  // Says what made yaml-cpp stop.
  void SayStopped(const YAML::Exception& error) {
    const std::size_t at = OffsetOf(error.mark);
    const bool by_flaw = flaw && at >= flaw->offset;
    by_flaw ? Say(finding::Severity::kError, flaw->rule, flaw->offset, flaw->what)
            : Say(finding::Severity::kError, finding::kSyntaxRule, at, WithHint(at, error.msg));
  }
  std::string WithHint(std::size_t at, const std::string& said) const {
    const std::string hint = YamlHint(text, at, said);
    return hint.empty() ? said : said + ": " + hint;
  }
  void Say(finding::Severity severity, std::string_view rule, std::size_t offset, std::string_view what) {
    std::string space;
    findings.Add(rule, severity, offset, {}, std::string(Repaired(what, space)));
  }

  static constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

  std::string_view text;
  encode::Findings& findings;
  std::optional<YamlFlaw> flaw;
  std::string before_flaw;
  ViewBuffer buffer;
  std::istream stream;
  YAML::Parser parser;
  bool loaded = false;
  bool ok = true;
  std::size_t skipped = 0;
  encode::Tree* tree = nullptr;
  std::vector<char> wants_key;         // of each open list and map: 2 in lists, in maps 1 before a key, else 0
  std::vector<std::uint32_t> anchors;  // the row of each anchor's value
  std::size_t repeated = 0;
  int document_begin = -1;  // of the last one
};

void YamlReader::State::AddKey(const YAML::Mark& mark, YAML::anchor_t anchor, std::string_view tag,
                               const std::string& value) {
  Remember(anchor);
  const std::size_t at = OffsetOf(mark);
  // Envoy's own: a member that is there for its anchors.
  tag == "!ignore" ? tree->HiddenKey(Kept(mark, value), at) : tree->Key(Kept(mark, value), at);
  wants_key.back() = 0;
}

void YamlReader::State::AddScalar(const YAML::Mark& mark, std::string_view tag, const std::string& value) {
  const std::size_t at = OffsetOf(mark);
  if (tag == "!") return tree->Scalar(NodeKind::kText, Kept(mark, value), at);  // it has quotes
  const PlainScalar scalar = TypePlainScalar(value);
  if (scalar.octal) {
    Say(finding::Severity::kWarning, finding::kNumberFormRule, at,
        fmt::format("{} is an octal number: {}", value, scalar.text));
  }
  tree->Scalar(scalar.kind, Kept(mark, scalar.text), at);
}

// Returns the value where it stands in the text, if it stands there as it is; else a copy.
std::string_view YamlReader::State::Kept(const YAML::Mark& mark, std::string_view value) {
  const std::size_t at = OffsetOf(mark);
  for (const std::size_t begin : {at, at + 1}) {
    if (begin <= text.size() && text.substr(begin, value.size()) == value) {
      value = text.substr(begin, value.size());
      break;
    }
  }
  const bool in_text = value.data() >= text.data() && value.data() <= text.data() + text.size();
  if (base::IsUtf8(value)) return in_text ? value : tree->Keep(value);
  Say(finding::Severity::kWarning, finding::kSyntaxRule, at, "invalid UTF-8");
  std::string space;
  return tree->Keep(Repaired(value, space));
}

void YamlReader::State::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::uint32_t row = anchor < anchors.size() ? anchors[anchor] : kNoRow;
  if (row == kNoRow || !tree->IsComplete(row)) Refuse(mark, finding::kSyntaxRule, "alias refers to itself");
  repeated += tree->BytesOf(row);
  if (repeated > kMaxRepeated) Refuse(mark, finding::kSyntaxRule, "aliases stand for more than 64 MB");
  const encode::Node value = tree->NodeAt(row);
  const bool key = value.kind() > NodeKind::kMap;
  if (key && !WantsKey()) {
    tree->Scalar(NodeKind::kText, value.text(), OffsetOf(mark));
    return Added();
  }
  if (WantsKey()) {
    if (value.is(NodeKind::kList) || value.is(NodeKind::kMap))
      Refuse(mark, finding::kSyntaxRule, "a map key must be a scalar");
    tree->Key(value.text(), OffsetOf(mark));
    wants_key.back() = 0;
    return;
  }
  if (tree->depth() + tree->DepthOf(row) > kMaxDepth) Refuse(mark, finding::kTooDeepRule, "nested too deeply");
  tree->Repeat(row, OffsetOf(mark));
  Added();
}

YamlReader::YamlReader(std::string_view text, encode::Findings* findings)
    : state_(std::make_unique<State>(text, findings)) {}

YamlReader::~YamlReader() = default;

bool YamlReader::ok() const {
  return state_->ok;
}

bool YamlReader::Next(encode::Tree* tree) {
  tree->Clear();
  state_->tree = tree;
  state_->wants_key.clear();
  state_->anchors.clear();
  if (!state_->ok) return false;
  try {
    if (!std::exchange(state_->loaded, true)) state_->parser.Load(state_->stream);
    return state_->parser.HandleNextDocument(*state_);
  } catch (const YAML::Exception& error) {
    state_->SayStopped(error);
  } catch (const Stop&) {  // Refuse() has said why
  } catch (const std::bad_alloc&) {
    state_->Say(finding::Severity::kError, finding::kUnreadableFileRule, 0, "there is not enough memory to read it");
  } catch (const std::exception& error) {
    state_->Say(finding::Severity::kError, finding::kSyntaxRule, 0, error.what());
  }
  state_->ok = false;
  return false;
}

}  // namespace xdscope::format
