#include "lib/base/status.h"

#include <fmt/format.h>

#include "absl/strings/cord.h"

namespace xdscope::base {

absl::Status Prefix(const absl::Status& status, std::string_view where) {
  if (status.ok()) return status;
  absl::Status prefixed = Error(status.code(), fmt::format("{}: {}", where, Message(status)));
  status.ForEachPayload(
      [&prefixed](absl::string_view url, const absl::Cord& payload) { prefixed.SetPayload(url, payload); });
  return prefixed;
}

}  // namespace xdscope::base
