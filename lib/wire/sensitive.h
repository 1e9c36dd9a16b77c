// Which fields must not be shown. Knows messages by their full names and fields by their numbers. [validation.md 3.1]
#pragma once

#include <string_view>

#include "lib/wire/type.h"

namespace xdscope::wire {

// Decides by the built-in table, by message and number; by the annotations udpa.annotations.sensitive and
// xds.annotations.v3.sensitive, whether or not generated code for them is linked; and by the field's name, when its
// values are text, bytes or a DataSource. A --schema can add to that, not take from it: Types asks the embedded field
// of the same number too.
Sensitive SensitivityOf(const google::protobuf::FieldDescriptor& field);

// Returns true when the built-in table says that the field is never shown.
bool IsInSensitiveTable(const google::protobuf::FieldDescriptor& field);

// Returns how a message says what its values are; empty when the table has no such message.
Label LabelOf(std::string_view message);

// Returns true for the type of an SDS Secret.
bool IsSecretType(std::string_view message);

// Returns true for the few fields that are public inside a Secret and in what stands around one in a response: names,
// certificates, what a peer is verified with.
bool IsPublicInSecret(const google::protobuf::FieldDescriptor& field);

}  // namespace xdscope::wire
