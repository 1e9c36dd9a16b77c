#include "cli/args/type_argument.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/args/nearest.h"
#include "cli/args/usage_error.h"
#include "lib/format/printable.h"

namespace xdscope::cli {
namespace {

std::string_view TypePart(std::string_view word) {
  return word.substr(0, word.find(':'));
}

// Tells whether only a message can be written like this: "my.api.v1.Thing". A host has no capital behind its last dot.
bool LooksLikeMessage(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return false;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return name[dot + 1] >= 'A' && name[dot + 1] <= 'Z' && std::ranges::all_of(name, is_allowed);
}

// Returns a type URL as typed, with a prefix where it has none; nothing where it is none.
std::string AsTypeUrl(std::string_view type) {
  const std::size_t slash = type.rfind('/');
  if (slash == std::string_view::npos) {
    return LooksLikeMessage(type) ? fmt::format("{}{}", types::kTypeUrlPrefix, type) : std::string();
  }
  const bool is_path = type.starts_with('/') || type.starts_with('.');
  return is_path || slash + 1 == type.size() ? std::string() : std::string(type);
}

std::string NearestType(std::string_view type) {
  std::vector<std::string_view> words;
  for (const types::KnownType& known : types::KnownTypes()) {
    words.push_back(known.short_name);
    words.push_back(known.plural);
  }
  return DidYouMean(type, words);
}

int HexDigit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t digit = kDigits.find(c);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

// A character that a name has in escaped form, and how many letters that form takes.
struct Escape {
  char character = 0;
  std::size_t length = 0;  // 0: the text does not begin with an escape
};

// Reads `\,`, `\n`, `\t` and `\xNN` at the front of `text`; a backslash before anything else is a backslash.
Escape ReadEscape(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return {};
  if (text[1] == ',') return {',', 2};
  if (text[1] == 'n') return {'\n', 2};
  if (text[1] == 't') return {'\t', 2};
  if (text[1] != 'x' || text.size() < 4) return {};
  const int high = HexDigit(text[2]);
  const int low = HexDigit(text[3]);
  return high < 0 || low < 0 ? Escape() : Escape{static_cast<char>(high * 16 + low), 4};
}

// Splits at commas and reads escapes: `\,` is a comma in a name.
std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names(1);
  while (!text.empty()) {
    const Escape escape = ReadEscape(text);
    if (escape.length > 0) {
      names.back().push_back(escape.character);
    } else if (text[0] == ',') {
      names.emplace_back();
    } else {
      names.back().push_back(text[0]);
    }
    text.remove_prefix(std::max<std::size_t>(escape.length, 1));
  }
  return names;
}

// Returns the type URL that a TYPE names.
absl::StatusOr<std::string> ParseType(std::string_view type, types::Api api) {
  if (const types::KnownType* known = types::FindByWord(type)) {
    if (!known->names(api).exists()) return UsageError(type, "does not exist in v2");
    return std::string(known->names(api).type_url);
  }
  if (const std::size_t slash = type.find('/'); types::FindByWord(type.substr(0, slash)) != nullptr) {
    return UsageError(type, fmt::format("names follow a colon: {}:{}", type.substr(0, slash), type.substr(slash + 1)));
  }
  std::string type_url = AsTypeUrl(type);
  if (type_url.empty()) return UsageError(type, fmt::format("not a TYPE{}", NearestType(type)));
  return type_url;
}

// Adds what one word asks for to what is wanted of its type.
absl::Status AddNames(std::string_view word, client::Want* want) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    want->everything = true;
    return absl::OkStatus();
  }
  for (std::string& name : SplitNames(word.substr(colon + 1))) {
    if (name.empty()) return UsageError(word, "a name is empty");
    if (name == "*") {
      want->everything = want->starred = true;
    } else if (std::ranges::find(want->names, name) == want->names.end()) {
      want->names.push_back(std::move(name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool LooksLikeTarget(std::string_view word) {
  if (IsTypeWord(word)) return false;
  const std::size_t colon = word.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1);
  const bool has_port = !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
  return (has_port && colon > 0) || word.find("://") != std::string_view::npos || word.starts_with("unix:");
}

bool IsTypeWord(std::string_view word) {
  const std::string_view type = TypePart(word);
  if (types::FindByWord(type) != nullptr || types::FindByUrl(type) != nullptr) return true;
  if (type.starts_with(types::kTypeUrlPrefix)) return true;
  // "Edge.Example.COM:443" is a host all the same.
  const std::string_view rest = word.substr(type.size());
  const bool has_port = rest.size() > 1 && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return LooksLikeMessage(type) && !has_port;
}

absl::StatusOr<std::vector<TypeRequest>> ParseTypes(std::span<const std::string> words, types::Api api,
                                                    protocol::Wildcard wildcard) {
  std::vector<TypeRequest> requests;
  for (const std::string& word : words) {
    const std::string_view type = TypePart(word);
    if (LooksLikeTarget(word) && NearestType(type).empty()) {
      return UsageError(word, "is no TYPE; there is one TARGET, and it stands before the TYPEs");
    }
    absl::StatusOr<std::string> type_url = ParseType(type, api);
    if (!type_url.ok()) return type_url.status();
    const auto is_of_type = [&](const TypeRequest& request) { return request.want.type_url == *type_url; };
    auto request = std::ranges::find_if(requests, is_of_type);
    if (request == requests.end()) {
      const bool starred = wildcard == protocol::Wildcard::kExplicit;
      request = requests.insert(
          request, {std::string(type), {.type_url = *std::move(type_url), .names = {}, .starred = starred}});
    }
    const absl::Status status = AddNames(word, &request->want);
    if (!status.ok()) return status;
  }
  for (TypeRequest& request : requests) {
    // An empty list beside names cannot be said: only "*" can. [B.1-7]
    if (request.want.everything && !request.want.names.empty()) request.want.starred = true;
  }
  return requests;
}

std::vector<client::Want> RootWants(std::span<const std::string_view> roots, types::Api api,
                                    protocol::Wildcard wildcard) {
  std::vector<client::Want> wants;
  for (const std::string_view root : roots) {
    const std::string_view url = types::FindByWord(root)->names(api).type_url;
    wants.push_back({std::string(url), {}, true, wildcard == protocol::Wildcard::kExplicit});
  }
  return wants;
}

absl::Status CheckVariant(const TypeRequest& request, types::Variant variant, types::Api api) {
  const types::KnownType* known = types::FindByUrl(request.want.type_url);
  const bool rest = variant == types::Variant::kRest;
  if (known == nullptr && rest)
    return UsageError(request.word, "has no REST path; gRPC takes it, with ads or delta-ads");
  if (known == nullptr) {
    if (types::IsAggregated(variant)) return absl::OkStatus();
    return UsageError(request.word, fmt::format("has no service of its own for --variant {}; use ads or delta-ads",
                                                VariantName(variant)));
  }
  if (!known->names(api).exists()) return UsageError(request.word, "does not exist in v2");
  if (!known->delta_only() || types::IsDelta(variant)) return absl::OkStatus();
  if (rest) return UsageError(request.word, "has no REST form; it is delta only: gRPC has it, with delta or delta-ads");
  return UsageError(
      request.word,
      fmt::format("has no method for --variant {}; it is delta only: use delta or delta-ads", VariantName(variant)));
}

std::string EscapeName(std::string_view name) {
  std::string escaped;
  for (std::size_t i = 0; i < name.size(); ++i) {
    // A backslash that would be read as the beginning of an escape, here or in front of the next name.
    const bool misread = name[i] == '\\' && (i + 1 == name.size() || ReadEscape(name.substr(i)).length > 0);
    if (misread) {
      escaped += "\\x5c";
    } else if (name[i] == ',') {
      escaped += "\\,";
    } else {
      escaped.push_back(name[i]);
    }
  }
  return format::Printable(escaped);
}

std::span<const types::Variant> AllVariants() {
  static constexpr std::array kVariants = {types::Variant::kAds, types::Variant::kDeltaAds, types::Variant::kSotw,
                                           types::Variant::kDelta, types::Variant::kUnary};
  return kVariants;
}

std::optional<types::Variant> FindVariant(std::string_view word) {
  for (const types::Variant variant : AllVariants()) {
    if (VariantName(variant) == word) return variant;
  }
  return std::nullopt;
}

std::string_view VariantName(types::Variant variant) {
  switch (variant) {
    case types::Variant::kAds:
      return "ads";
    case types::Variant::kDeltaAds:
      return "delta-ads";
    case types::Variant::kSotw:
      return "sotw";
    case types::Variant::kDelta:
      return "delta";
    case types::Variant::kUnary:
      return "unary";
    case types::Variant::kRest:
      return "rest";
  }
  return "";
}

}  // namespace xdscope::cli
