// Tables and trees for a person's eyes: text in, aligned text out. Knows nothing of resources. Whatever
// a peer put into a name, no control character gets to the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/output.h"
#include "lib/format/writer.h"

namespace xdscope::format {

struct Column {
  std::string title;
  bool right = false;  // numbers
  bool name = false;   // what a row is about: cut last, and in the middle
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // short rows end in empty cells
};

// Writes titles, then the rows, columns two blanks apart, no blanks at the ends of lines. `width` 0 cuts nothing; else
// the widest columns are cut until lines fit, names when nothing else is left to cut; "…" stands where something was
// cut.
void WriteTable(const Table& table, std::size_t width, Style style, Output& out);

// A line of a tree, and the lines below it.
struct TreeNode {
  std::string label;
  std::string note;  // behind the label, dim in colour
  std::vector<TreeNode> children;
};

enum class TreeLines : std::uint8_t { kUtf8, kAscii };

// Writes each root at the margin, its children below it. `width` counts as for tables.
void WriteTree(std::span<const TreeNode> roots, TreeLines lines, std::size_t width, Style style, Output& out);

}  // namespace xdscope::format
