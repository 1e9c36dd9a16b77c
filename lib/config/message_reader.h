// A Value as the wire bytes of a message of the schema, by protobuf's JSON mapping, with errors that name the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/config/document.h"
#include "lib/schema/schema.h"

namespace xdscope::config {

// What becomes of a member that the message has no field for.
enum class UnknownFields : std::uint8_t { kRefuse, kIgnore };

// The message `full_name` that `value`, found at `path` of `file`, describes. INVALID_ARGUMENT, "FILE:LINE: path:
// what": a field that does not exist (the nearest name is said), a value of the wrong kind. NOT_FOUND: no such message.
absl::StatusOr<std::string> EncodeMessage(const Value& value, std::string_view full_name, const schema::Schema& schema,
                                          std::string_view file, const std::string& path, UnknownFields unknown);

}  // namespace xdscope::config
