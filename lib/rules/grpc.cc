#include "lib/rules/grpc.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/rules/place.h"
#include "lib/rules/reading.h"

namespace xdscope::rules {
namespace {

using encode::Visited;

bool IsUsed(const Visited& at, std::string_view field) {
  const wire::Field* const row = at.message.type().Find(field);
  const std::span<const wire::Present> known = at.fields->known();
  const auto found = std::find_if(known.begin(), known.end(), [row](const wire::Present& p) { return p.field == row; });
  if (row == nullptr || found == known.end()) return false;
  const bool boolean =
      row->kind == wire::FieldKind::kBool ||
      (row->kind == wire::FieldKind::kMessage && row->message().well_known() == wire::WellKnown::kWrapper);
  return row->repeated || !boolean || IsOn(at.message, field);
}

}  // namespace

void RefuseForGrpc(const Visited& at, std::string_view rule, std::span<const std::string_view> fields,
                   Context& context) {
  for (const std::string_view field : fields) {
    if (IsUsed(at, field)) context.Add(rule, At(at, field), fmt::format("gRPC does not support {}", field));
  }
}

}  // namespace xdscope::rules
