#include "cli/print/message.h"

#include <fmt/format.h>

#include "lib/base/status.h"

namespace xdscope::cli {

std::string DiscoveryMessage(types::Api api, bool delta, Direction direction) {
  return fmt::format("{}.{}Discovery{}", api == types::Api::kV3 ? "envoy.service.discovery.v3" : "envoy.api.v2",
                     delta ? "Delta" : "", direction == Direction::kRequest ? "Request" : "Response");
}

void WalkMessage(std::string_view type_name, std::string_view bytes, bool show_secrets, wire::Types& types,
                 format::Walker& walker) {
  const wire::Type* type = types.Find(type_name);
  const absl::StatusOr<wire::Message> decoded =
      type == nullptr ? absl::StatusOr<wire::Message>(absl::NotFoundError("unknown type")) : wire::Decode(bytes, *type);
  if (decoded.ok()) return walker.Message(decoded->view());
  const std::string_view why = base::Message(decoded.status());
  if (show_secrets) return walker.Unopened(type_name, bytes, why);
  walker.Unopened(type_name, {}, fmt::format("{}; {}", why, kHiddenBytes));
}

}  // namespace xdscope::cli
