// Settings as the wire bytes of a message of the schema, by protobuf's JSON mapping. For settings, and for messages
// that a person types.
#pragma once

#include <string>
#include <string_view>

#include "lib/config/setting.h"
#include "lib/encode/encode.h"
#include "lib/wire/type.h"

namespace xdscope::config {

// Encodes the message `full_name` that a setting describes, which must be there. INVALID_ARGUMENT, "FILE:LINE: path:
// what": the first error in the text, a field that does not exist (with the nearest name) or a value that does not fit.
// NOT_FOUND: the schema has no such message.
absl::StatusOr<std::string> EncodeSetting(const Setting& setting, std::string_view full_name, encode::Unknown unknown,
                                          wire::Types& types);

}  // namespace xdscope::config
