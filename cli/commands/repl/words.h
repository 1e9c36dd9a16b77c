// A typed line as words, quoted as in a shell: blanks part them, '…' and "…" hold them together, a backslash takes its
// meaning from the character that follows, # begins a comment where a word could begin, but for a number such as #3.
// Knows no verbs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"

namespace xdscope::cli {

struct Word {
  std::string text;       // without its quotes
  bool quoted = false;    // some of it was quoted, so that "--now" is no option
  std::size_t begin = 0;  // where it stands in the line, with its quotes
  std::size_t end = 0;
};

// Fails with INVALID_ARGUMENT where a quote is not closed, or nothing follows a backslash.
absl::StatusOr<std::vector<Word>> SplitLine(std::string_view line);

// Does the same for a line that is still being typed: a quote that is open ends with the line.
std::vector<Word> SplitUnfinished(std::string_view line);

// Returns the form of a word that SplitLine() takes back; the word itself where nothing in it has a meaning.
std::string Quoted(std::string_view word);

}  // namespace xdscope::cli
