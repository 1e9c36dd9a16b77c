// Kinds of flag values that Abseil does not have: durations, sizes, and flags that may be given many times.
#pragma once

#include <chrono>
#include <cstdint>
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

// Reads `64MB`, `1.5GB`, `500kB`, and a bare number as bytes; no more than 4 GB, which is what a message can have.
struct SizeFlag {
  std::uint64_t value = 0;
};
bool AbslParseFlag(absl::string_view text, SizeFlag* flag, std::string* error);
std::string AbslUnparseFlag(const SizeFlag& flag);

// Holds the values in the order given. The tokeniser hands them over as one text with kEnd behind each, which no
// argument can contain.
struct ListFlag {
  static constexpr char kEnd = '\0';
  std::vector<std::string> values;
};
bool AbslParseFlag(absl::string_view text, ListFlag* flag, std::string* error);
std::string AbslUnparseFlag(const ListFlag& flag);

}  // namespace xdscope::cli
