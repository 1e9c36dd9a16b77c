// --header arguments as metadata, and which proxy the environment names for a target.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/status.h"

namespace xdscope::cli {

using Environment = std::function<std::optional<std::string>(std::string_view name)>;

// Reads "name: value" and expands ${ENV}; the value of a name that ends in "-bin" is base64 and comes back as bytes,
// the name in lower case. Fails with INVALID_ARGUMENT, "NAME: what": no colon, letters that metadata cannot have, a
// variable that is not set, a name that gRPC keeps for itself.
absl::StatusOr<std::pair<std::string, std::string>> ParseHeader(std::string_view text, const Environment& environment);

// What a proxy would carry: each has variables of its own.
enum class Carried : std::uint8_t { kGrpc, kHttp, kHttps };

// Returns the HTTP proxy for `host` ("http://host:port"); empty where there is none. gRPC: by grpc_proxy, https_proxy,
// http_proxy and no_grpc_proxy, no_proxy; HTTP by http_proxy and no_proxy, HTTPS by https_proxy and no_proxy.
std::string ProxyFor(std::string_view host, Carried carried, const Environment& environment);

}  // namespace xdscope::cli
