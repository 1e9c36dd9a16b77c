#include "lib/format/yaml_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/format/position.h"
#include "lib/format/printable.h"
#include "lib/format/yaml_flaw.h"

namespace xdscope::format {
namespace {

constexpr std::size_t kLongestWord = 40;

bool Has(std::string_view said, std::string_view word) {
  return said.find(word) != std::string_view::npos;
}

// Returns the line in which `offset` stands, without its end.
std::string_view LineAt(std::string_view text, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', offset) - begin);
}

// Returns the line above the one of `offset` that says something; empty: there is none.
std::string_view LineAbove(std::string_view text, std::size_t offset) {
  std::string_view above = text.substr(0, static_cast<std::size_t>(LineAt(text, offset).data() - text.data()));
  while (!above.empty()) {
    above.remove_suffix(1);  // the line break
    const std::string_view line = LineAt(above, above.size());
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return line;
    above.remove_suffix(line.size());
  }
  return {};
}

// Returns the word of "  - name a" that may have been meant as a key; empty where there is a colon already.
std::string_view KeyWithoutColon(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t-");
  if (begin == std::string_view::npos || line.find(':') != std::string_view::npos) return {};
  line.remove_prefix(begin);
  const std::size_t end = line.find(' ');
  return end == std::string_view::npos || end > kLongestWord ? std::string_view() : line.substr(0, end);
}

bool IsIndentedByTab(std::string_view line) {
  return Has(line.substr(0, line.find_first_not_of(" \t")), "\t");
}

std::string OpenedAt(std::string_view text, const OpenFlow& flow) {
  return fmt::format("the {} of line {} is not closed", flow.bracket, PositionsOf(text, {{flow.offset}}).front().line);
}

// A ':' that cannot end a key: the key above has none, or the value has one too many.
std::string HintAtValue(std::string_view text, std::size_t offset) {
  const std::string_view key = KeyWithoutColon(LineAbove(text, offset));
  if (!key.empty()) return fmt::format("is a colon missing after \"{}\" in the line above?", Printable(key));
  const std::string_view line = LineAt(text, offset);
  return Has(line, ": ") ? "a value that has \": \" in it is quoted" : std::string();
}

}  // namespace

std::string YamlHint(std::string_view text, std::size_t offset, std::string_view said) {
  offset = std::min(offset, text.size());
  const std::string_view rest = text.substr(offset);
  if (Has(said, "unknown token") && (rest.starts_with('@') || rest.starts_with('`'))) {
    const std::string_view word = Truncate(rest.substr(0, rest.find_first_of(": \t\r\n")), kLongestWord);
    return fmt::format("quote it: \"{}\"", Printable(word));
  }
  if (Has(said, " tab") || IsIndentedByTab(LineAt(text, offset))) return "YAML indents by blanks alone";
  const std::optional<OpenFlow> flow = FindOpenFlow(text, offset);
  if (flow) return OpenedAt(text, *flow);
  return Has(said, "illegal map value") ? HintAtValue(text, offset) : std::string();
}

}  // namespace xdscope::format
