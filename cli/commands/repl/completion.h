// What a word that is being typed may become, out of the verbs and of what the conversation is about. Knows no
// terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xdscope::cli {

class Repl;

struct Candidate {
  std::string text;   // in place of the word, without quotes
  std::string about;  // one line beside it in a list
  bool whole = true;  // the word ends here; else more is to be typed (a folder)

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Completion {
  std::size_t begin = 0;              // where the word begins in the line, with its quotes
  std::vector<Candidate> candidates;  // sorted by their text, all different
};

// Returns what the last word of `line` may become; a line that ends in a blank has an empty one.
Completion Complete(Repl& repl, std::string_view line);

// Returns what all candidates begin with.
std::string CommonBeginning(const std::vector<Candidate>& candidates);

}  // namespace xdscope::cli
