// Single values as somebody wrote them: numbers, enum names, base64, times. For encode*.cc; knows no message around.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/encode/tree.h"
#include "lib/wire/type.h"

namespace xdscope::encode {

// Each returns what stands on the wire for a number, boolean or enum value (zigzag done); nullopt when the value does
// not fit. Names of enum values are for EnumNumber().
std::optional<std::uint64_t> JsonBits(const wire::Field& field, const Node& node);
std::optional<std::uint64_t> TextBits(const wire::Field& field, const Node& node);

// Finds the number of an enum value by its name; with `any_case` in capital letters or not.
std::optional<std::int32_t> EnumNumber(const wire::Field& field, std::string_view name, bool any_case);

// Says what a field takes: "expected a whole number from 0 to 4294967295", "expected text, not a list".
std::string Expected(const wire::Field& field, const Node& node);

// Decodes base64 in either alphabet, with padding or without. Returns false when it is none.
bool FromBase64(std::string_view text, std::string* bytes);

struct Seconds {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
};
// Reads "1.5s"; nullopt outside the range of google.protobuf.Duration too.
std::optional<Seconds> DurationOf(std::string_view text);
// Reads "2024-01-01T00:00:00.5+01:00"; nullopt outside the range of google.protobuf.Timestamp too.
std::optional<Seconds> TimestampOf(std::string_view text);
// Returns a lowerCamelCase path of a FieldMask in the names of the proto file.
std::string SnakePath(std::string_view camel);

}  // namespace xdscope::encode
