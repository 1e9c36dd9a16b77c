// Messages that somebody wrote down, as wire bytes. The one place that knows protobuf's JSON mapping, as Envoy 1.40
// reads it (validation.md 3.5 and 2.10), and the mapping of protobuf's text format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/encode/problem.h"
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
  std::string path;  // of the value: what the paths of problems begin with
};

// Appends the fields of the message of `type` that `value` stands for. Goes on behind a bad value, so that all of a
// message's problems are found; false when one of them is an error: what was appended is then worth nothing. What it
// appends without an error, Decode() takes.
bool Encode(const Node& value, const wire::Type& type, const EncodeOptions& options, wire::Types& types,
            Problems* problems, std::string* bytes);

}  // namespace xdscope::encode
