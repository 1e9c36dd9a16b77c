#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/numeric/int128.h"
#include "lib/finding/pgv_rules.h"
#include "lib/rules/constraint.h"

namespace xdscope::rules {
namespace {

using wire::Value;
using wire::View;

constexpr int kNanosPerSecond = 1'000'000'000;

// How values of a family are compared: read as a number that holds all of them exactly. What cannot be read keeps every
// bound.
template <typename Number>
struct Scale {
  std::optional<Number> (*read)(const Value&);
  std::function<std::string(const Value&)> spell;
};

std::optional<absl::int128> ReadSigned(const Value& value) {
  return value.AsInt();
}

std::optional<absl::int128> ReadUnsigned(const Value& value) {
  return absl::int128(value.AsUint());
}

std::optional<double> ReadFloat(const Value& value) {
  return value.AsFloat();
}

std::optional<double> ReadDouble(const Value& value) {
  return value.AsDouble();
}

std::int64_t IntOf(const View& view, std::string_view field) {
  const std::optional<Value> value = view.Get(field);
  return value ? value->AsInt() : 0;
}

absl::int128 NanosOf(const View& time) {
  return absl::int128(IntOf(time, "seconds")) * kNanosPerSecond + IntOf(time, "nanos");
}

// [validation.md 1.3-12]
bool IsValid(const View& duration) {
  constexpr std::int64_t kMostSeconds = 315'576'000'000;
  const std::int64_t seconds = IntOf(duration, "seconds");
  const std::int64_t nanos = IntOf(duration, "nanos");
  return -kMostSeconds <= seconds && seconds <= kMostSeconds && -kNanosPerSecond < nanos && nanos < kNanosPerSecond;
}

// A duration that is not valid breaks that rule, and is not compared with anything.
std::optional<absl::int128> ReadDuration(const Value& value) {
  return IsValid(value.AsMessage()) ? std::optional(NanosOf(value.AsMessage())) : std::nullopt;
}

std::optional<absl::int128> ReadTimestamp(const Value& value) {
  return NanosOf(value.AsMessage());
}

std::string SpellTimeValue(const Value& value) {
  return SpellTime(value.AsMessage());
}

// One end of a range. NaN is beyond no bound. [validation.md 1.3-13]
template <typename Number>
struct Bound {
  std::string_view option;
  bool lower = false;
  bool open = false;
  Number limit = {};
  std::string spelled = {};

  bool KeptBy(const Number& number) const {
    if (lower) return !(number < limit) && !(open && number == limit);
    return !(number > limit) && !(open && number == limit);
  }
  std::string Words() const {
    if (lower) return fmt::format("{} {}", open ? "greater than" : "at least", spelled);
    return fmt::format("{} {}", open ? "less than" : "at most", spelled);
  }
  std::string Option() const { return fmt::format("{}: {}", option, spelled); }
};

template <typename Number>
class Comparisons {
 public:
  Comparisons(std::string_view family, const View& rules, Scale<Number> scale)
      : family_(family), rules_(rules), scale_(std::move(scale)) {}

  Constraints Take() {
    AddConst();
    AddRange();
    AddLists();
    return std::move(all_);
  }

 private:
  using NumberBound = Bound<Number>;

  template <typename Holds>
  void Add(std::string_view rule, std::string option, std::string words, Holds holds) {
    auto check = [read = scale_.read, holds = std::move(holds)](const Value& value) {
      const std::optional<Number> number = read(value);
      return !number || holds(*number);
    };
    all_.push_back({finding::PgvRule(family_, rule), std::move(option), std::move(words), std::move(check)});
  }

  void AddConst() {
    const std::optional<Value> wanted = rules_.Get("const");
    if (!wanted) return;
    const std::string spelled = scale_.spell(*wanted);
    Add("const", fmt::format("const: {}", spelled), fmt::format("must be {}", spelled),
        [limit = scale_.read(*wanted)](const Number& number) { return number == limit; });
  }

  std::optional<NumberBound> BoundOf(std::string_view option, bool lower, bool open) const {
    const std::optional<Value> limit = rules_.Get(option);
    const std::optional<Number> number = limit ? scale_.read(*limit) : std::nullopt;
    if (!number) return std::nullopt;
    return NumberBound{option, lower, open, *number, scale_.spell(*limit)};
  }

  void AddBound(const NumberBound& bound) {
    Add(bound.option, bound.Option(), "must be " + bound.Words(),
        [bound](const Number& number) { return bound.KeptBy(number); });
  }

  // Where the lower bound is not below the upper one, what is between them is forbidden. [validation.md 1.3-6]
  void AddRange() {
    std::optional<NumberBound> lower = BoundOf("gt", true, true);
    if (!lower) lower = BoundOf("gte", true, false);
    std::optional<NumberBound> upper = BoundOf("lt", false, true);
    if (!upper) upper = BoundOf("lte", false, false);
    if (lower && upper && !(lower->limit < upper->limit)) {
      Add(lower->option, fmt::format("{}, {}", upper->Option(), lower->Option()),
          fmt::format("must be {} or {}", upper->Words(), lower->Words()),
          [a = *lower, b = *upper](const Number& number) { return a.KeptBy(number) || b.KeptBy(number); });
      return;
    }
    if (lower) AddBound(*lower);
    if (upper) AddBound(*upper);
  }

  void AddLists() {
    if (AddList("in", "must be one of", true)) return;
    AddList("not_in", "must be none of", false);
  }

  bool AddList(std::string_view option, std::string_view words, bool wanted) {
    std::vector<std::optional<Number>> numbers;
    std::vector<std::string> spelled;
    for (const Value& value : ListOf(rules_, option)) {
      numbers.push_back(scale_.read(value));
      spelled.push_back(scale_.spell(value));
    }
    if (numbers.empty()) return false;
    const std::string list = fmt::format("{}", fmt::join(spelled, ", "));
    Add(option, fmt::format("{}: [{}]", option, list), fmt::format("{} {}", words, list),
        [numbers = std::move(numbers), wanted](const Number& number) {
          return (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) == wanted;
        });
    return true;
  }

  std::string_view family_;
  View rules_;
  Scale<Number> scale_;
  Constraints all_;
};

template <typename Number>
Constraints Compare(std::string_view family, const View& rules, const Scale<Number>& scale) {
  return Comparisons<Number>(family, rules, scale).Take();
}

std::string SpellSize(std::uint64_t size, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", size, size == 1 ? one : many);
}

}  // namespace

std::vector<Value> ListOf(const View& view, std::string_view field) {
  std::vector<Value> values;
  const std::optional<wire::Present> present = view.Find(field);
  if (!present) return values;
  for (wire::Elements elements(*present); elements.Next();) values.push_back(elements.value());
  return values;
}

bool IsTrue(const View& view, std::string_view field) {
  const std::optional<Value> value = view.Get(field);
  return value && value->AsBool();
}

std::string SpellTime(const View& time) {
  const absl::int128 nanos = NanosOf(time);
  const absl::int128 magnitude = nanos < 0 ? -nanos : nanos;
  const auto seconds = static_cast<std::int64_t>(magnitude / kNanosPerSecond);
  const auto rest = static_cast<std::int64_t>(magnitude % kNanosPerSecond);
  std::string text = fmt::format("{}{}.{:09}", nanos < 0 ? "-" : "", seconds, rest);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + 's';
}

Constraints NumberConstraints(std::string_view family, const View& rules) {
  if (family == "float") {
    return Compare<double>(family, rules, {ReadFloat, [](const Value& v) { return fmt::format("{}", v.AsFloat()); }});
  }
  if (family == "double") {
    return Compare<double>(family, rules, {ReadDouble, [](const Value& v) { return fmt::format("{}", v.AsDouble()); }});
  }
  if (family == "bool") {
    return Compare<absl::int128>(
        family, rules, {ReadUnsigned, [](const Value& v) -> std::string { return v.AsBool() ? "true" : "false"; }});
  }
  if (family.starts_with('u') || family.starts_with('f')) {
    return Compare<absl::int128>(family, rules,
                                 {ReadUnsigned, [](const Value& v) { return fmt::format("{}", v.AsUint()); }});
  }
  return Compare<absl::int128>(family, rules,
                               {ReadSigned, [](const Value& v) { return fmt::format("{}", v.AsInt()); }});
}

Constraints EnumConstraints(const View& rules, const wire::Field& field) {
  const auto name = [&field](const Value& value) {
    const std::string_view known = field.EnumName(static_cast<std::int32_t>(value.AsInt()));
    return known.empty() ? fmt::format("{}", value.AsInt()) : std::string(known);
  };
  Constraints all = Compare<absl::int128>("enum", rules, {ReadSigned, name});
  if (IsTrue(rules, "defined_only")) {
    all.push_back(
        {finding::PgvRule("enum", "defined_only"), "defined_only: true", "must be a value of its enum",
         [&field](const Value& value) { return !field.EnumName(static_cast<std::int32_t>(value.AsInt())).empty(); }});
  }
  return all;
}

Constraints TimeConstraints(std::string_view family, const View& rules) {
  if (family == "timestamp") return Compare<absl::int128>(family, rules, {ReadTimestamp, SpellTimeValue});
  Constraints all = Compare<absl::int128>(family, rules, {ReadDuration, SpellTimeValue});
  if (all.empty()) return all;
  all.push_back({finding::PgvRule(family, "valid"), "", "must be within the range of google.protobuf.Duration",
                 [](const Value& value) { return IsValid(value.AsMessage()); }});
  return all;
}

Constraints SizeConstraints(std::string_view family, const View& rules) {
  const bool map = family == "map";
  const auto bound = [&](std::string_view option, std::string_view words, bool lower, Constraints* all) {
    const std::optional<Value> limit = rules.Get(option);
    if (!limit || (lower && limit->AsUint() == 0)) return;
    const std::uint64_t size = limit->AsUint();
    const std::string spelled = map ? SpellSize(size, "entry", "entries") : SpellSize(size, "element", "elements");
    all->push_back({finding::PgvRule(family, option), fmt::format("{}: {}", option, size),
                    fmt::format("must have at {} {}", words, spelled), [size, lower](const Value& value) {
                      return lower ? value.AsUint() >= size : value.AsUint() <= size;
                    }});
  };
  Constraints all;
  bound(map ? "min_pairs" : "min_items", "least", true, &all);
  bound(map ? "max_pairs" : "max_items", "most", false, &all);
  return all;
}

}  // namespace xdscope::rules
