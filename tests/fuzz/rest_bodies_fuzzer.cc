// A body of REST: JSON of a discovery response, which becomes the bytes of one, and bytes of a request, which become
// JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/protocol/response.h"
#include "lib/schema/schema.h"
#include "lib/source/rest_body.h"

namespace xdscope {
namespace {

wire::Types& Types() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  static auto* const types = new wire::Types(*schema);
  return *types;
}

}  // namespace
}  // namespace xdscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using xdscope::Types;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = xdscope::source::ReadRestBody("body", text, Types(), [](std::string_view /*remark*/) {});
  // What was read is a response.
  if (body.ok() &&
      !xdscope::protocol::ReadResponse(xdscope::protocol::Variant::kSotw, std::make_shared<const std::string>(*body))
           .ok()) {
    std::abort();
  }
  xdscope::source::WriteRestRequest(text, xdscope::types::Api::kV3, Types()).IgnoreError();
  return 0;
}
