// A flag value that is one of a few words, by a table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/args/flag.h"
#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"
#include "lib/base/status.h"

namespace xdscope::cli {

template <typename T>
struct Choice {
  std::string_view word;
  T value;
};

// Returns the value of `word`. Fails with INVALID_ARGUMENT, "--FLAG WORD: what", and names the words there are, or the
// nearest.
template <typename T>
absl::StatusOr<T> Choose(std::string_view flag, std::string_view word, std::span<const Choice<T>> choices) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices) {
    if (choice.word == word) return choice.value;
    words.push_back(choice.word);
  }
  return UsageError(fmt::format("--{} {}", flag, word),
                    fmt::format("expected one of {}{}", fmt::join(words, ", "), DidYouMean(word, words)));
}

// Does the same for the value that the flag has.
template <typename T>
absl::StatusOr<T> Choose(const absl::Flag<std::string>& flag, std::span<const Choice<T>> choices) {
  return Choose<T>(FlagName(flag), absl::GetFlag(flag), choices);
}

}  // namespace xdscope::cli
