// TYPE arguments: `cds`, `clusters:a,b`, `eds:*`, a type URL with names. Which word of a line is one, and what it asks
// for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "lib/base/status.h"

namespace xdscope::cli {

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
