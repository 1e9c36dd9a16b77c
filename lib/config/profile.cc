#include "lib/config/profile.h"

#include <array>

namespace xdscope::config {
namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 1> kEnvoyFeatures = {"xds.config.resource-in-sotw"};
constexpr std::array<std::string_view, 2> kGrpcFeatures = {"envoy.lb.does_not_support_overprovisioning",
                                                           "xds.config.resource-in-sotw"};
constexpr std::array<std::string_view, 1> kStrictFeatures = {"xds.config.resource-in-sotw"};

constexpr std::array<Profile, 3> kProfiles = {{
    {.kind = ClientKind::kEnvoy, .name = "envoy", .client_features = kEnvoyFeatures},
    {.kind = ClientKind::kGrpc,
     .name = "grpc",
     .node_on_first_message_only = true,
     .asks_for_everything = false,
     .nack_keeps_good_part = true,
     .nack_code = 3,
     .backoff_first = milliseconds(1000),
     .backoff_most = milliseconds(120000),
     .backoff_factor = 1.6,
     .backoff_jitter = 0.2,
     .client_features = kGrpcFeatures},
    {.kind = ClientKind::kStrict,
     .name = "strict",
     .node_on_first_message_only = true,
     .explicit_wildcard = true,
     .nack_code = 3,
     .backoff_first = milliseconds(1000),
     .client_features = kStrictFeatures},
}};

}  // namespace

const Profile& ProfileOf(ClientKind kind) {
  return kProfiles[static_cast<std::size_t>(kind)];
}

}  // namespace xdscope::config
