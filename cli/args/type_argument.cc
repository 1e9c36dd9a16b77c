#include "cli/args/type_argument.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/args/nearest.h"

namespace xdscope::cli {
namespace {

absl::Status Wrong(std::string_view word, std::string_view what) {
  return base::Error(absl::StatusCode::kInvalidArgument, fmt::format("{}: {}", word, what));
}

std::string_view TypePart(std::string_view word) {
  return word.substr(0, word.find(':'));
}

// "my.api.v1.Thing": only a message is written like this.
bool LooksLikeMessage(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return false;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return name[dot + 1] >= 'A' && name[dot + 1] <= 'Z' && std::ranges::all_of(name, is_allowed);
}

// A type URL as typed, with a prefix where it has none. Empty: it is none.
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

// Splits at commas; `\,` is a comma in a name.
std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      names.back().push_back(text[++i]);
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back().push_back(text[i]);
    }
  }
  return names;
}

absl::StatusOr<TypeRequest> ParseType(std::string_view type, types::Api api) {
  TypeRequest request;
  request.word = type;
  request.known = types::FindByWord(type);
  if (request.known == nullptr) {
    request.type_url = AsTypeUrl(type);
    request.known = types::FindByUrl(request.type_url);
    if (request.type_url.empty()) return Wrong(type, fmt::format("not a TYPE{}", NearestType(type)));
    return request;
  }
  if (!request.known->names(api).exists()) return Wrong(type, "does not exist in v2");
  request.type_url = request.known->names(api).type_url;
  return request;
}

// What one word adds to the request of its type.
absl::Status AddNames(std::string_view word, TypeRequest* request, bool* star) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    request->everything = true;
    return absl::OkStatus();
  }
  for (std::string& name : SplitNames(word.substr(colon + 1))) {
    if (name.empty()) return Wrong(word, "a name is empty");
    if (name == "*") {
      request->everything = *star = true;
    } else if (std::ranges::find(request->names, name) == request->names.end()) {
      request->names.push_back(std::move(name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

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
                                                    WildcardForm wildcard) {
  std::vector<TypeRequest> requests;
  for (const std::string& word : words) {
    absl::StatusOr<TypeRequest> parsed = ParseType(TypePart(word), api);
    if (!parsed.ok()) return parsed.status();
    parsed->form = wildcard;
    auto request = std::ranges::find(requests, parsed->type_url, &TypeRequest::type_url);
    if (request == requests.end()) request = requests.insert(request, *std::move(parsed));
    bool star = false;
    const absl::Status status = AddNames(word, &*request, &star);
    if (!status.ok()) return status;
    if (star) request->form = WildcardForm::kExplicit;
  }
  for (TypeRequest& request : requests) {
    // An empty list beside names cannot be said: only "*" can. [B.1-7]
    if (request.everything && !request.names.empty()) request.form = WildcardForm::kExplicit;
  }
  return requests;
}

absl::Status CheckVariant(const TypeRequest& request, types::Variant variant, types::Api api) {
  if (request.known == nullptr) {
    if (types::IsAggregated(variant)) return absl::OkStatus();
    return Wrong(request.word,
                 fmt::format("has no service of its own for --variant {}; use ads or delta-ads", VariantName(variant)));
  }
  if (!request.known->names(api).exists()) return Wrong(request.word, "does not exist in v2");
  if (!request.known->delta_only() || types::IsDelta(variant)) return absl::OkStatus();
  return Wrong(request.word, fmt::format("has no method for --variant {}; it is delta only: use delta or delta-ads",
                                         VariantName(variant)));
}

std::string EscapeName(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == ',') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
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
  }
  return "";
}

}  // namespace xdscope::cli
