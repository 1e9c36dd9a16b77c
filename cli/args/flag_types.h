// Kinds of flag values that Abseil does not have: durations, and flags that may be given many times.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xdscope::cli {

// Reads `1.5s`, `200ms`, `2m`, `1m30s`, `1h`, and a bare number as seconds. A duration is never negative.
struct DurationFlag {
  std::chrono::milliseconds value{0};
};
bool AbslParseFlag(absl::string_view text, DurationFlag* flag, std::string* error);
std::string AbslUnparseFlag(const DurationFlag& flag);

// Holds the values in the order given. The tokeniser hands them over as one text with kEnd behind each, which no
// argument can contain.
struct ListFlag {
  static constexpr char kEnd = '\0';
  std::vector<std::string> values;
};
bool AbslParseFlag(absl::string_view text, ListFlag* flag, std::string* error);
std::string AbslUnparseFlag(const ListFlag& flag);

}  // namespace xdscope::cli
