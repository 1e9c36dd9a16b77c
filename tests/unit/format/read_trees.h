// What a reader makes of a text, as a test compares it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "tests/unit/format/tree_text.h"

namespace xdscope::format {

struct TreesRead {
  std::string trees;  // one line for each; "error" at the end when the text is broken
  std::string said;   // "OFFSET message; " for each finding
};

inline std::string Said(const encode::Findings& findings) {
  std::string said;
  for (const finding::Finding& finding : findings.all())
    said += std::to_string(finding.offset) + " " + finding.message + "; ";
  return said;
}

// By a reader that gives one tree after another: YamlReader, TextReader.
template <typename Reader>
TreesRead ReadTrees(std::string_view text) {
  encode::Findings findings;
  Reader reader(text, &findings);
  encode::Tree tree;
  TreesRead read;
  while (reader.Next(&tree)) read.trees += (read.trees.empty() ? "" : "\n") + TreeText(tree.root());
  if (!reader.ok()) read.trees += "error";
  read.said = Said(findings);
  return read;
}

// Demands that nothing is wrong with the text.
inline std::string WithoutAWord(const TreesRead& read, std::string_view text) {
  EXPECT_EQ(read.said, "") << text;
  return read.trees;
}

}  // namespace xdscope::format
