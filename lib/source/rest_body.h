// The two messages of REST as text: a request as the JSON that is sent, a body as the bytes of the response that it
// stands for, so that whoever speaks the protocol need not know that it came as text. Knows no connection.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::source {

// Writes a serialized DiscoveryRequest as JSON in the names of the .proto files, as Envoy does: there are servers that
// read no others. INVALID_ARGUMENT: the bytes are no request.
absl::StatusOr<std::string> WriteRestRequest(std::string_view bytes, types::Api api, wire::Types& types);

// Reads a discovery response in JSON, in either spelling of names (XDS-R10), with or without its type URL (XDS-R16),
// and returns it serialized. DATA_LOSS, "WHERE:LINE:COLUMN: what", with the head of the body: something in it cannot be
// read, and as with Envoy all of it counts as that. `remark` is told, in the same form, what was odd and read all the
// same: a field that the schema does not have, a liberty of spelling.
absl::StatusOr<std::string> ReadRestBody(std::string_view where, std::string_view text, wire::Types& types,
                                         const std::function<void(std::string_view)>& remark);

// Returns how a text begins, as one harmless line in quotes.
std::string HeadOf(std::string_view text);

}  // namespace xdscope::source
