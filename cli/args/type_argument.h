// TYPE arguments: `cds`, `clusters:a,b`, `eds:*`, a type URL with names. Which word of a line is one, and what it asks
// for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"
#include "lib/client/fetch.h"
#include "lib/protocol/subscription.h"
#include "lib/types/known_types.h"

namespace xdscope::cli {

// One TYPE of the line; the same TYPE given twice makes one of these.
struct TypeRequest {
  std::string word;  // as first typed, without names: "cds"; for messages
  // What it asks for: names as typed, in that order, none twice and no "*". Everything is wanted where there are no
  // names at all, or "*" is among them; beside names it is always said as "*".
  client::Want want;
};

// Returns true for a word that says a TYPE before its first ':': a known type's short name, plural or message name, a
// type URL with `type.googleapis.com/`, or what can only be a message name (dots, the last part with a capital).
bool IsTypeWord(std::string_view word);

// Returns true for a word that can only be meant as a server: with a port, or a scheme.
bool LooksLikeTarget(std::string_view word);

// Makes one request per type, in the order of the first word that asks for it. Fails with INVALID_ARGUMENT, "WORD:
// what", for what is not a type (with the nearest), a type that `api` does not have, an empty name.
absl::StatusOr<std::vector<TypeRequest>> ParseTypes(std::span<const std::string> words, types::Api api,
                                                    protocol::Wildcard wildcard);

// Returns what the whole configuration of a node begins with: everything of CDS and LDS.
std::vector<client::Want> RootWants(std::span<const std::string_view> roots, types::Api api,
                                    protocol::Wildcard wildcard);

// Fails with INVALID_ARGUMENT for a type that has no method in this variant.
absl::Status CheckVariant(const TypeRequest& request, types::Variant variant, types::Api api);

// Returns a name as a TYPE argument takes it back: a comma as `\,`, control characters and bytes that are not UTF-8 as
// `\n`, `\t` and `\xNN`, a backslash that would begin one of these as `\x5c`.
std::string EscapeName(std::string_view name);

// Returns the variants of gRPC, in the order of help; REST goes by the TARGET.
std::span<const types::Variant> AllVariants();
// Finds a variant of gRPC by its word; nullopt: there is none.
std::optional<types::Variant> FindVariant(std::string_view word);
// Returns the word of a variant: "delta-ads".
std::string_view VariantName(types::Variant variant);

}  // namespace xdscope::cli
