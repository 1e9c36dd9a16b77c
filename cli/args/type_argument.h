// TYPE arguments: `cds`, `clusters:a,b`, `eds:*`, a type URL with names. Which word of a line is one, and what it asks
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// How "everything" is said to the server.
enum class WildcardForm : std::uint8_t { kLegacy, kExplicit };

// One TYPE of the line; the same TYPE given twice is one of these.
struct TypeRequest {
  std::string word;                           // as first typed, without names: "cds"; for messages
  std::string type_url;                       // with its prefix, of the API version asked for
  const types::KnownType* known = nullptr;    // nullptr: a type of its own, over an aggregated stream only
  std::vector<std::string> names;             // as typed, in that order, no name twice, no "*"
  bool everything = false;                    // no names at all, or "*" among them
  WildcardForm form = WildcardForm::kLegacy;  // when `everything`: legacy cannot be said beside names
};

// True for a word that says a TYPE before its first ':': a known type's short name, plural or message name, a type URL
// with `type.googleapis.com/`, or what can only be a message name (dots, the last part with a capital).
bool IsTypeWord(std::string_view word);

// One request per type, in the order of the first word that asks for it. INVALID_ARGUMENT, "WORD: what": not a type
// (with the nearest), a type that `api` does not have, an empty name.
absl::StatusOr<std::vector<TypeRequest>> ParseTypes(std::span<const std::string> words, types::Api api,
                                                    WildcardForm wildcard);

// INVALID_ARGUMENT: a type that has no method in this variant.
absl::Status CheckVariant(const TypeRequest& request, types::Variant variant, types::Api api);

// A name as a TYPE argument takes it: commas escaped.
std::string EscapeName(std::string_view name);

// The variant's word: "delta-ads".
std::string_view VariantName(types::Variant variant);

}  // namespace xdscope::cli
