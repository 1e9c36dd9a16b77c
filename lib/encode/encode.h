// Messages that somebody wrote down, as wire bytes. The one place that knows protobuf's JSON mapping, as Envoy 1.40
// reads it (validation.md 3.5 and 2.10), and the mapping of protobuf's text format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/encode/findings.h"
#include "lib/encode/tree.h"
#include "lib/wire/type.h"

namespace xdscope::encode {

// By what rules a tree stands for a message.
enum class Spelling : std::uint8_t {
  kJson,
  kYaml,  // the JSON mapping; of equal keys the last one counts before anything else is looked at
  kText,  // protobuf's text format
};

// What becomes of members and enum values that the schema does not have.
enum class Unknown : std::uint8_t {
  kWarn,    // dropped with a warning, as Envoy does in dynamic configuration
  kRefuse,  // errors
  kIgnore,  // dropped
};

struct EncodeOptions {
  Spelling spelling = Spelling::kJson;
  Unknown unknown = Unknown::kWarn;
  // An Any below the value whose type the schema does not have is a warning, and has its type URL alone: for whoever
  // wants to know what else is wrong.
  bool keep_unknown_types = false;
  finding::Path path;  // of the value: what the paths of findings begin with
};

// Appends the fields of the message of `type` that `value` stands for. Goes on behind a bad value, so that it finds all
// that is wrong with a message. Returns false when one of the findings is an error: what was appended is then worth
// nothing. Decode() takes what was appended without an error.
bool Encode(const Node& value, const wire::Type& type, const EncodeOptions& options, wire::Types& types,
            Findings* findings, std::string* bytes);

}  // namespace xdscope::encode
