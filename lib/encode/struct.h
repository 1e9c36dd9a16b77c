// Messages that stand in a google.protobuf.Struct, as Envoy reads them. [XDS-V128]
#pragma once

#include "lib/base/status.h"
#include "lib/wire/message.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::encode {

// Returns the message that a google.protobuf.Struct stands for, by the JSON mapping; for xds.type.v3.TypedStruct and
// udpa.type.v1.TypedStruct the type is the one they name. Unknown members and values that do not fit are
// INVALID_ARGUMENT with their path; an unknown type is NOT_FOUND.
absl::StatusOr<wire::Message> FromStruct(const wire::View& structure, const wire::Type& type, wire::Types& types);
// Does the same with the Struct in a TypedStruct of either package; one without `value` is an empty message.
absl::StatusOr<wire::Message> FromTypedStruct(const wire::View& typed_struct, wire::Types& types);

}  // namespace xdscope::encode
