// A flag value that is one of a few words, by a table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/args/nearest.h"
#include "lib/base/status.h"

namespace xdscope::cli {

template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

// The value of `word`. INVALID_ARGUMENT, "--FLAG WORD: what", with the words there are or the nearest.
template <typename T>
absl::StatusOr<T> Choose(std::string_view flag, std::string_view word, std::span<const Choice<T>> choices) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices) {
    if (choice.word == word) return choice.value;
    words.push_back(choice.word);
  }
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("--{} {}: expected one of {}{}", flag, word,
                                                                     fmt::join(words, ", "), DidYouMean(word, words)));
}

}  // namespace xdscope::cli
