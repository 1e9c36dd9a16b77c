// What a reader makes of a text, as a test compares it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lib/encode/problem.h"
#include "lib/encode/tree.h"
#include "tests/unit/format/tree_text.h"

namespace xdscope::format {

struct TreesRead {
  std::string trees;  // one line for each; "error" at the end when the text is broken
  std::string said;   // "OFFSET what; " for each problem
};

inline std::string Said(const encode::Problems& problems) {
  std::string said;
  for (const encode::Problem& problem : problems.all())
    said += std::to_string(problem.offset) + " " + problem.what + "; ";
  return said;
}

// By a reader that gives one tree after another: YamlReader, TextReader.
template <typename Reader>
TreesRead ReadTrees(std::string_view text) {
  encode::Problems problems;
  Reader reader(text, &problems);
  encode::Tree tree;
  TreesRead read;
  while (reader.Next(&tree)) read.trees += (read.trees.empty() ? "" : "\n") + TreeText(tree.root());
  if (!reader.ok()) read.trees += "error";
  read.said = Said(problems);
  return read;
}

// Demands that nothing is wrong with the text.
inline std::string WithoutAWord(const TreesRead& read, std::string_view text) {
  EXPECT_EQ(read.said, "") << text;
  return read.trees;
}

}  // namespace xdscope::format
