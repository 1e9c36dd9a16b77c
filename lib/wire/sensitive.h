// What must not be shown: which fields, and which keys of headers and Structs. [validation.md 3.1]
#pragma once

#include <string_view>

#include "lib/wire/type.h"

namespace xdscope::wire {

// Decides by the built-in list and by the annotations udpa.annotations.sensitive and xds.annotations.v3.sensitive,
// whether or not generated code for them is linked: a schema can add to the list, not take from it.
Sensitive SensitivityOf(const google::protobuf::FieldDescriptor& field);

// Returns true when the built-in list has the field of this full name.
bool IsInSensitiveList(std::string_view field_name);

// Returns true for a key under which a header or a Struct usually holds a secret: `authorization`, `cookie`,
// `x-api-key`, `password`, `client_secret` … Case, '-', '_' and '.' do not matter.
bool IsSecretKey(std::string_view key);

}  // namespace xdscope::wire
