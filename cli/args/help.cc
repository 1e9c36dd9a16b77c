#include "cli/args/help.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

constexpr std::size_t kTextColumn = 30;   // where the text beside a flag begins
constexpr std::size_t kMinimumText = 24;  // fewer columns than this are no column
constexpr int kWidest = 100;              // longer lines are hard to read

// Appends the words of `text` in lines of at most `width` columns, each `indent` to the right. `at` is the column where
// the cursor stands, behind what has been written of the line: a short flag has its text beside it. A narrow terminal
// gets lines of kMinimumText columns, which wrap, rather than a column of single words.
void AppendWrapped(std::string_view text, std::size_t at, std::size_t indent, std::size_t width, std::string* out) {
  const std::size_t end = std::max(width, indent + kMinimumText);
  bool first = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!first && at + 1 + format::Columns(word) > end) {
      out->push_back('\n');
      at = 0;
      first = true;
    }
    if (at < indent) {
      out->append(indent - at, ' ');
      at = indent;
    }
    if (!first) out->push_back(' ');
    at += format::Columns(word) + (first ? 0 : 1);
    out->append(word);
    first = false;
  }
  out->push_back('\n');
}

std::string Spelling(const FlagRow& row) {
  std::string spelling = row.letter == 0 ? "      " : fmt::format("  -{}, ", row.letter);
  spelling += fmt::format("--{}", row.name);
  if (!row.value.empty()) spelling += fmt::format(" {}", row.value);
  return spelling;
}

void AppendFlag(const FlagRow& row, std::size_t width, std::string* out) {
  const std::string spelling = Spelling(row);
  out->append(spelling);
  std::size_t at = format::Columns(spelling);
  if (at + 2 > kTextColumn) {  // a long flag has its text below
    out->push_back('\n');
    at = 0;
  }
  std::string text(row.text);
  if (const std::string value = FlagDefault(row); !value.empty()) text += fmt::format(" [{}]", value);
  AppendWrapped(text, at, kTextColumn, width, out);
}

void AppendParagraphs(std::string_view text, std::size_t width, std::string* out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out->push_back('\n');
    AppendWrapped(text.substr(0, end), 0, 0, width, out);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

std::size_t Width(int width) {
  return static_cast<std::size_t>(std::min(width, kWidest));
}

}  // namespace

std::string Overview(std::span<const Command> commands, int width) {
  std::string out = "xdscope speaks xDS to a control plane, shows and judges what comes back.\n\n";
  for (const Command& command : commands) {
    const std::string name = fmt::format("  {}", command.name);
    out += name;
    AppendWrapped(command.summary, format::Columns(name), 14, Width(width), &out);
  }
  out += "\n`xdscope help COMMAND` says more; `xdscope --version` says which one this is.\n";
  return out;
}

std::string HelpOn(const Command& command, int width) {
  std::string out = fmt::format("usage: xdscope {}\n\n", command.usage);
  AppendWrapped(command.summary, 0, 0, Width(width), &out);
  AppendParagraphs(command.details, Width(width), &out);
  for (const FlagGroup& group : command.groups) {
    if (!group.title.empty()) out += fmt::format("\n{}:\n", group.title);
    for (const FlagRow& row : group.flags) AppendFlag(row, Width(width), &out);
  }
  return out;
}

}  // namespace xdscope::cli
