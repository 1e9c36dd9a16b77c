// Which discovery methods a server has, and what a stream of each is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/protocol/response.h"
#include "lib/types/known_types.h"

namespace xdscope::server {

struct Method {
  types::Variant variant = types::Variant::kAds;
  types::Api api = types::Api::kV3;
  const types::KnownType* type = nullptr;  // nullptr: aggregated

  protocol::Variant protocol_variant() const { return protocol::VariantOf(variant); }
  bool unary() const { return variant == types::Variant::kUnary; }
};

// Finds a method by its path, "/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters", or of REST
// "/v3/discovery:clusters"; nullopt when there is none.
std::optional<Method> FindMethod(std::string_view path);

}  // namespace xdscope::server
