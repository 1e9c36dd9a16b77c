#include "lib/format/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/format/colors.h"
#include "lib/format/printable.h"

namespace xdscope::format {
namespace {

constexpr std::size_t kGap = 2;
// Columns are not cut below this.
constexpr std::size_t kNarrowest = 8;

void Colored(std::string_view text, std::string_view color, Style style, Output& out) {
  if (style.color && !text.empty()) out.Append(color);
  out.Append(text);
  if (style.color && !text.empty()) out.Append(kPlainColor);
}

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::size_t> Widths(const Rows& rows, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size() && i < columns; ++i) widths[i] = std::max(widths[i], Columns(row[i]));
  }
  return widths;
}

// Takes from the widest of these columns, one character at a time, until a line fits.
void Fit(std::span<const Column> columns, bool names, std::size_t width, std::vector<std::size_t>& widths) {
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t one : widths) total += one;
  while (total > width) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].name == names && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr || *widest <= kNarrowest) return;
    --*widest;
    --total;
  }
}

void WriteRow(const Table& table, const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
              std::string_view color, Style style, Output& out) {
  std::size_t blanks = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto shortened = table.columns[i].name ? ShortenedInside : Shortened;
    const std::string cell = i < row.size() ? shortened(row[i], widths[i]) : std::string();
    const std::size_t rest = widths[i] - Columns(cell);
    const bool right = table.columns[i].right;
    if (right) blanks += rest;
    if (!cell.empty()) {
      out.Fill(' ', blanks);
      Colored(cell, color, style, out);
      blanks = 0;
    }
    blanks += (right ? 0 : rest) + kGap;
  }
  out.Append('\n');
}

struct Bars {
  std::string_view child, last_child, below, below_last;
};
constexpr Bars kUtf8Bars = {"├── ", "└── ", "│   ", "    "};
constexpr Bars kAsciiBars = {"|-- ", "`-- ", "|   ", "    "};

struct TreeStyle {
  Bars bars;
  std::size_t width;
  Style text;
};

void WriteNode(const TreeNode& node, const std::string& lead, const TreeStyle& style, Output& out) {
  std::string label = Printable(node.label);
  std::string note = Printable(node.note);
  if (style.width > 0) {
    const std::size_t room = std::max(style.width, Columns(lead) + kNarrowest) - Columns(lead);
    label = Shortened(label, room);
    const std::size_t left = room - Columns(label);
    note = left > kNarrowest ? Shortened(note, left - 1) : std::string();
  }
  out.Append(label);
  if (!note.empty()) {
    out.Append(' ');
    Colored(note, kDimColor, style.text, out);
  }
  out.Append('\n');
}

void WriteChildren(const TreeNode& node, const std::string& lead, const TreeStyle& style, Output& out) {
  for (std::size_t i = 0; i < node.children.size() && out.ok(); ++i) {
    const bool last = i + 1 == node.children.size();
    const std::string_view bar = last ? style.bars.last_child : style.bars.child;
    Colored(fmt::format("{}{}", lead, bar), kDimColor, style.text, out);
    WriteNode(node.children[i], fmt::format("{}{}", lead, bar), style, out);
    WriteChildren(node.children[i], fmt::format("{}{}", lead, last ? style.bars.below_last : style.bars.below), style,
                  out);
  }
}

}  // namespace

void WriteTable(const Table& table, std::size_t width, Style style, Output& out) {
  if (table.columns.empty()) return;
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(Printable(column.title));
  Rows rows;
  rows.reserve(table.rows.size() + 1);
  rows.push_back(std::move(titles));
  for (const auto& row : table.rows) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(Printable(cell));
  }
  std::vector<std::size_t> widths = Widths(rows, table.columns.size());
  if (width > 0) {
    Fit(table.columns, false, width, widths);
    Fit(table.columns, true, width, widths);
  }
  for (std::size_t i = 0; i < rows.size() && out.ok(); ++i) {
    WriteRow(table, rows[i], widths, i == 0 ? kKeyColor : std::string_view(), Style{style.color && i == 0}, out);
  }
}

void WriteTree(std::span<const TreeNode> roots, TreeLines lines, std::size_t width, Style style, Output& out) {
  const TreeStyle tree{lines == TreeLines::kUtf8 ? kUtf8Bars : kAsciiBars, width, style};
  for (const TreeNode& root : roots) {
    WriteNode(root, std::string(), tree, out);
    WriteChildren(root, std::string(), tree, out);
  }
}

}  // namespace xdscope::format
