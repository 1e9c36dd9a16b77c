// Spelling of single values, shared by the formats: JSON strings, base64, numbers, the few well-known types that are
// one string. Knows no writer and no message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/format/output.h"

namespace xdscope::format {

// Appends `text` as a JSON string, quotes included; hidden characters (utf8.h) are escaped. Demands
// UTF-8.
void AppendJsonString(Output& out, std::string_view text);
// Each spells `bytes` in base64 (with padding), without quotes.
void AppendBase64(Output& out, std::string_view bytes);
std::string Base64Text(std::string_view bytes);

// Each spells the shortest decimal that reads back to the same value; whole numbers below 10^15 without an exponent.
// Demands a finite value.
void AppendReal(Output& out, double value);
void AppendReal(Output& out, float value);
std::string RealText(double value);
std::string RealText(float value);
// Returns "NaN", "Infinity" or "-Infinity"; empty for finite values.
std::string_view NonFinite(double value);

// Returns "1.500s"; nullopt when out of the range that google.protobuf.Duration allows.
std::optional<std::string> DurationText(std::int64_t seconds, std::int64_t nanos);
// Returns "2024-01-01T00:00:00Z"; nullopt when out of the range of google.protobuf.Timestamp.
std::optional<std::string> TimestampText(std::int64_t seconds, std::int64_t nanos);
// Returns a path of a FieldMask in lowerCamelCase, letter for letter as protobuf's JSON printer has it.
std::string CamelPath(std::string_view path);

// Returns `text` with every byte that is not part of well-formed UTF-8 as U+FFFD: `text` itself when there is none,
// else a text that lives in `space`.
std::string_view Repaired(std::string_view text, std::string& space);

}  // namespace xdscope::format
