// A settings text (YAML or JSON) as a tree that remembers its lines. Knows both syntaxes, no schema. Scalars are typed
// as Envoy types them: of plain YAML scalars only booleans and whole numbers are not text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/status.h"

namespace xdscope::config {

struct Value {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kList, kMap };

  Kind kind = Kind::kNull;
  int line = 0;                   // where it begins, from 1; 0: it was not read from a text
  std::string text;               // kBool: "true" or "false"; kNumber: as JSON writes it; kText
  std::vector<std::string> keys;  // kMap: the key of each item
  std::vector<Value> items;       // kList, kMap

  // kMap: the member `name` (snake_case) or its lowerCamelCase form; the last one of several. nullptr: there is none,
  // it is null, or this is no map.
  const Value* Find(std::string_view name) const;
  bool is(Kind k) const { return kind == k; }
};

// "text", "a map": for messages.
std::string_view KindName(Value::Kind kind);

// snake_case to lowerCamelCase, as protobuf's JSON does it.
std::string CamelCase(std::string_view snake_case);

// Reads one document: JSON where the text begins like it, else YAML (also for JSON with Envoy's liberties, such as keys
// without quotes). Of an Envoy /config_dump only the bootstrap is kept. INVALID_ARGUMENT, "FILE:LINE: what": not well
// formed, several documents, nested deeper than 100, or (YAML) more than half a million
// values once aliases are expanded.
absl::StatusOr<Value> ParseDocument(std::string_view text, std::string_view file);

// The value as one JSON text.
std::string ToJson(const Value& value);

// INVALID_ARGUMENT, "FILE:LINE: path: what"; parts that are empty (or 0) are left out.
absl::Status ErrorAt(std::string_view file, int line, std::string_view path, std::string_view what);

}  // namespace xdscope::config
