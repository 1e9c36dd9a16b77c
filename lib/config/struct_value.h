// google.protobuf.Struct on the wire, written by hand from a Value: what a node's metadata is made of. Needs no schema.
#pragma once

#include <string>
#include <string_view>

#include "lib/config/document.h"

namespace xdscope::config {

// A serialized google.protobuf.Value.
std::string EncodeStructValue(const Value& value);

// Appends one member to a serialized google.protobuf.Struct; of members with one key the last counts.
void AppendStructMember(std::string_view key, const Value& value, std::string* structure);

}  // namespace xdscope::config
