#include "cli/args/flag_types.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "absl/time/time.h"

namespace xdscope::cli {
namespace {

constexpr absl::Duration kLongest = absl::Hours(24 * 365 * 100);

bool IsBareNumber(absl::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool AbslParseFlag(absl::string_view text, DurationFlag* flag, std::string* error) {
  std::string with_unit(text.data(), text.size());
  if (IsBareNumber(text)) with_unit += "s";
  absl::Duration duration;
  if (!absl::ParseDuration(with_unit, &duration) || duration < absl::ZeroDuration() || duration > kLongest) {
    *error = "expected a duration such as 1.5s, 200ms or 2m (a bare number is seconds)";
    return false;
  }
  flag->value = absl::ToChronoMilliseconds(duration);
  return true;
}

std::string AbslUnparseFlag(const DurationFlag& flag) {
  if (flag.value.count() == 0) return "0";
  return absl::FormatDuration(absl::FromChrono(flag.value));
}

bool AbslParseFlag(absl::string_view text, ListFlag* flag, std::string*) {
  flag->values.clear();
  std::string value;
  for (const char c : text) {
    if (c != ListFlag::kEnd) {
      value.push_back(c);
    } else {
      flag->values.push_back(std::exchange(value, {}));
    }
  }
  return true;
}

std::string AbslUnparseFlag(const ListFlag& flag) {
  std::string text;
  for (const std::string& value : flag.values) text.append(value).push_back(ListFlag::kEnd);
  return text;
}

}  // namespace xdscope::cli
