// What must not be shown: which fields, and which keys of headers and Structs. [validation.md 3.1]
#pragma once

#include <string_view>

#include "lib/wire/type.h"

namespace xdscope::wire {

// From the built-in list, or from the annotations udpa.annotations.sensitive and xds.annotations.v3.sensitive: a schema
// can add to the list, not take from it.
Sensitive SensitivityOf(const google::protobuf::FieldDescriptor& field);

// Whether the built-in list has the field of this full name.
bool IsInSensitiveList(std::string_view field_name);

// True for a key under which a header or a Struct usually holds a secret: `authorization`, `cookie`, `x-api-key`,
// `password`, `client_secret` … Case, '-', '_' and '.' do not matter.
bool IsSecretKey(std::string_view key);

}  // namespace xdscope::wire
