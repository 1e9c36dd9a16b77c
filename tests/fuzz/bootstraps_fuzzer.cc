// A bootstrap, Envoy's or gRPC's, from its text to servers, credentials and node. The files and variables that it names
// are there, and the file says nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/config/bootstrap.h"
#include "lib/schema/schema.h"

namespace xdscope {
namespace {

wire::Types& Types() {
  static const auto* const schema = new schema::Schema(schema::Schema::Builtin());
  static auto* const types = new wire::Types(*schema);
  return *types;
}

config::Surroundings Here() {
  config::Surroundings here;
  here.read_file = [](const std::string& path, std::size_t /*most*/) -> absl::StatusOr<std::string> {
    return path.empty() ? absl::StatusOr<std::string>(absl::NotFoundError("No such file or directory")) : "contents";
  };
  here.environment = [](std::string_view name) {
    return name.starts_with('X') ? std::optional<std::string>("value") : std::nullopt;
  };
  return here;
}

}  // namespace
}  // namespace xdscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = xdscope::config::ParseDocument(text, "bootstrap");
  if (!document.ok()) return 0;
  const auto bootstrap = xdscope::config::ReadBootstrap(*document, xdscope::Types(), xdscope::Here());
  if (!bootstrap.ok()) return 0;
  if (bootstrap->MainServer() != nullptr && !bootstrap->MainServer()->status.ok()) std::abort();
  static_cast<void>(bootstrap->NotesOnOtherServers());
  return 0;
}
