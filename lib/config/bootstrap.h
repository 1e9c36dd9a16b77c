// What a bootstrap says of the control plane: server, credentials, headers, variant, node. Reads Envoy's (and a
// /config_dump that holds one) and gRPC's xDS bootstrap; both come out as one value. Connects nowhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/document.h"
#include "lib/config/profile.h"
#include "lib/schema/schema.h"
#include "lib/transport/settings.h"
#include "lib/types/known_types.h"

namespace xdscope::config {

// How a bootstrap reaches what it refers to.
struct Surroundings {
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
  std::function<std::optional<std::string>(std::string_view name)> environment;
};

struct Bootstrap {
  ClientKind client = ClientKind::kEnvoy;  // whose bootstrap it is
  // Target, TLS (nullopt: plaintext), authority and headers; certificates already read.
  transport::ChannelSettings channel;
  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  std::string cluster;             // Envoy's name for the server; empty: it has none
  std::string node;                // wire bytes; empty: it names none
  std::vector<std::string> notes;  // "FILE:LINE: path: what" of parts that cannot be followed
};

// Reads what ParseDocument() made of `file`. Of Envoy's: the server of ads_config, else of the lds_config or
// cds_config. INVALID_ARGUMENT, "FILE:LINE: path: what": no bootstrap, no control plane in it, one by REST or files, a
// cluster that is missing or has no address, a credential that cannot be read.
absl::StatusOr<Bootstrap> ReadBootstrap(const Value& document, std::string_view file, const schema::Schema& schema,
                                        const Surroundings& surroundings);

}  // namespace xdscope::config
