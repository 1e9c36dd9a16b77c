#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "lib/finding/pgv_rules.h"
#include "lib/rules/constraint.h"
#include "lib/rules/text_forms.h"

namespace xdscope::rules {
namespace {

using wire::Value;
using wire::View;

// Spells a text of a rule, which comes from a schema: short, and nothing that needs more than quotes.
std::string Quoted(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

std::size_t CharactersOf(std::string_view text) {
  const auto leads = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), leads));
}

std::size_t BytesOf(std::string_view text) {
  return text.size();
}

// The three rules of one measure of a text, and how that is counted.
struct Measure {
  std::string_view exact, least, most;
  std::size_t (*count)(std::string_view);
  std::string_view unit;
};
constexpr Measure kCharacters = {"len", "min_len", "max_len", CharactersOf, "character"};
constexpr Measure kTextBytes = {"len_bytes", "min_bytes", "max_bytes", BytesOf, "byte"};
constexpr Measure kBytes = {"len", "min_len", "max_len", BytesOf, "byte"};

struct Affix {
  std::string_view option;
  std::string_view words;
  bool (*holds)(std::string_view text, std::string_view part);
};
constexpr Affix kAffixes[] = {
    {"prefix", "must begin with", [](std::string_view text, std::string_view part) { return text.starts_with(part); }},
    {"suffix", "must end with", [](std::string_view text, std::string_view part) { return text.ends_with(part); }},
    {"contains", "must contain",
     [](std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }},
    {"not_contains", "must not contain",
     [](std::string_view text, std::string_view part) { return text.find(part) == std::string_view::npos; }},
};

struct Form {
  std::string_view option;
  std::string_view words;
  bool (*holds)(std::string_view text);
};
constexpr Form kTextForms[] = {
    {"email", "must be an e-mail address", IsEmail},
    {"hostname", "must be a host name", IsHostname},
    {"ip", "must be an IP address", [](std::string_view text) { return IsIpv4(text) || IsIpv6(text); }},
    {"ipv4", "must be an IPv4 address", IsIpv4},
    {"ipv6", "must be an IPv6 address", IsIpv6},
    {"uri", "must be an absolute URI", IsUri},
    {"uri_ref", "must be a URI reference", IsUriReference},
    {"address", "must be a host name or an IP address",
     [](std::string_view text) { return IsHostname(text) || IsIpv4(text) || IsIpv6(text); }},
    {"uuid", "must be a UUID", IsUuid},
};
constexpr std::size_t kIpv4Bytes = 4;
constexpr std::size_t kIpv6Bytes = 16;
constexpr Form kBytesForms[] = {
    {"ip", "must be an IP address, 4 or 16 bytes",
     [](std::string_view bytes) { return bytes.size() == kIpv4Bytes || bytes.size() == kIpv6Bytes; }},
    {"ipv4", "must be an IPv4 address, 4 bytes", [](std::string_view bytes) { return bytes.size() == kIpv4Bytes; }},
    {"ipv6", "must be an IPv6 address, 16 bytes", [](std::string_view bytes) { return bytes.size() == kIpv6Bytes; }},
};

class Texts {
 public:
  Texts(std::string_view family, const View& rules) : family_(family), rules_(rules) {}

  Constraints Take() {
    AddConst();
    AddList("in", "must be one of", true);
    if (all_.empty() || !all_.back().option.starts_with("in:")) AddList("not_in", "must be none of", false);
    const bool text = family_ == "string";
    AddMeasure(text ? kCharacters : kBytes);
    if (text) AddMeasure(kTextBytes);
    for (const Affix& affix : kAffixes) AddAffix(affix);
    AddPattern();
    for (const Form& form : text ? std::span<const Form>(kTextForms) : std::span<const Form>(kBytesForms)) {
      if (IsTrue(rules_, form.option)) Add(form.option, "true", std::string(form.words), form.holds);
    }
    AddKnownRegex();
    return std::move(all_);
  }

 private:
  template <typename Holds>
  void Add(std::string_view option, std::string_view spelled, std::string words, Holds holds) {
    all_.push_back({finding::PgvRule(family_, option), fmt::format("{}: {}", option, spelled), std::move(words),
                    [holds = std::move(holds)](const Value& value) { return holds(value.AsText()); }});
  }

  void AddConst() {
    const std::optional<Value> wanted = rules_.Get("const");
    if (!wanted) return;
    const std::string quoted = Quoted(wanted->AsText());
    Add("const", quoted, "must be " + quoted,
        [text = std::string(wanted->AsText())](std::string_view value) { return value == text; });
  }

  void AddList(std::string_view option, std::string_view words, bool wanted) {
    std::vector<std::string> texts;
    std::string list;
    for (const Value& value : ListOf(rules_, option)) {
      texts.emplace_back(value.AsText());
      list += fmt::format("{}{}", list.empty() ? "" : ", ", Quoted(value.AsText()));
    }
    if (texts.empty()) return;
    Add(option, fmt::format("[{}]", list), fmt::format("{} {}", words, list),
        [texts = std::move(texts), wanted](std::string_view value) {
          return (std::find(texts.begin(), texts.end(), value) != texts.end()) == wanted;
        });
  }

  // The exact length wins over the bounds, and equal bounds are an exact length, as in PGV's templates.
  void AddMeasure(const Measure& measure) {
    const std::optional<Value> exact = rules_.Get(measure.exact);
    const std::optional<Value> least = rules_.Get(measure.least);
    const std::optional<Value> most = rules_.Get(measure.most);
    const auto add = [&](std::string_view option, const Value& limit, std::string_view words, auto compare) {
      const std::uint64_t size = limit.AsUint();
      std::string demand = size == 1 && option == measure.least
                               ? std::string("must not be empty")
                               : fmt::format("must have {}{} {}{}", words, size, measure.unit, size == 1 ? "" : "s");
      Add(option, std::to_string(size), std::move(demand),
          [size, compare, count = measure.count](std::string_view text) { return compare(count(text), size); });
    };
    if (exact) return add(measure.exact, *exact, "", std::equal_to<>());
    if (least && most && least->AsUint() == most->AsUint()) return add(measure.least, *least, "", std::equal_to<>());
    if (least && least->AsUint() > 0) add(measure.least, *least, "at least ", std::greater_equal<>());
    if (most) add(measure.most, *most, "at most ", std::less_equal<>());
  }

  void AddAffix(const Affix& affix) {
    const std::optional<Value> part = rules_.Get(affix.option);
    if (!part) return;
    const std::string quoted = Quoted(part->AsText());
    Add(affix.option, quoted, fmt::format("{} {}", affix.words, quoted),
        [text = std::string(part->AsText()), holds = affix.holds](std::string_view value) {
          return holds(value, text);
        });
  }

  // The whole text has to match, as Envoy's validators demand; those of Go search. [validation.md 1.3-8] A pattern of
  // somebody's own schema that RE2 does not take is one that no validator could be made from: it demands nothing.
  void AddPattern() {
    const std::optional<Value> pattern = rules_.Get("pattern");
    if (!pattern) return;
    RE2::Options options(RE2::Quiet);
    if (family_ == "bytes") options.set_encoding(RE2::Options::EncodingLatin1);
    const std::string text(pattern->AsText());
    auto expression = std::make_shared<const RE2>(text, options);
    if (!expression->ok()) return;
    Add("pattern", Quoted(text), fmt::format("must match {}", text), [expression](std::string_view value) {
      return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *expression);
    });
  }

  void AddKnownRegex() {
    const std::optional<Value> regex = rules_.Get("well_known_regex");
    if (!regex || regex->AsInt() == 0) return;
    const bool name = regex->AsInt() == 1;
    const std::optional<Value> strict = rules_.Get("strict");
    const bool lenient = strict && !strict->AsBool();
    const std::string_view spelled = name ? "HTTP_HEADER_NAME" : "HTTP_HEADER_VALUE";
    const std::string words = fmt::format("must be fit for {} of an HTTP header{}", name ? "the name" : "the value",
                                          lenient ? ": no NUL, no line break" : "");
    Add("well_known_regex", fmt::format("{}{}", spelled, lenient ? ", strict: false" : ""), words,
        lenient ? IsOneLine
        : name  ? IsHeaderName
                : IsHeaderValue);
  }

  std::string_view family_;
  View rules_;
  Constraints all_;
};

}  // namespace

Constraints TextConstraints(std::string_view family, const View& rules) {
  return Texts(family, rules).Take();
}

// The values are messages; one that is no Any has no type URL.
Constraints AnyConstraints(const View& rules) {
  Constraints all = Texts("any", rules).Take();
  for (Constraint& constraint : all) {
    constraint.words = "type " + constraint.words;
    constraint.holds = [holds = std::move(constraint.holds)](const Value& value) {
      Value url = value;
      url.bytes = value.AsMessage().GetText("type_url");
      return holds(url);
    };
  }
  return all;
}

}  // namespace xdscope::rules
