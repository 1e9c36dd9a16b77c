#include "cli/args/flag_types.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "absl/time/time.h"

namespace xdscope::cli {
namespace {

constexpr absl::Duration kLongest = absl::Hours(24 * 365 * 100);

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
// The largest first. The last one divides everything.
constexpr Unit kUnits[] = {{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1000}, {"B", 1}, {"", 1}};

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

bool AbslParseFlag(absl::string_view text, SizeFlag* flag, std::string* error) {
  constexpr double kMost = 4e9;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, fault] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const auto row = std::find_if(std::begin(kUnits), std::end(kUnits),
                                [rest = std::string_view(unit, end)](const Unit& each) { return each.name == rest; });
  const double bytes = row == std::end(kUnits) ? 0 : number * static_cast<double>(row->bytes);
  if (fault != std::errc() || !(bytes >= 1 && bytes <= kMost)) {
    *error = "expected a size such as 64MB, 1.5GB or 500kB (a bare number is bytes), up to 4GB";
    return false;
  }
  flag->value = static_cast<std::uint64_t>(bytes);
  return true;
}

std::string AbslUnparseFlag(const SizeFlag& flag) {
  const auto row = std::find_if(std::begin(kUnits), std::end(kUnits),
                                [&flag](const Unit& each) { return flag.value % each.bytes == 0; });
  return fmt::format("{}{}", flag.value / row->bytes, row->name);
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
