// How a client behaves where the protocol leaves a choice: the knobs of protocol.md B.3, one constant row per client
// that users know.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace xdscope::config {

enum class ClientKind : std::uint8_t { kEnvoy, kGrpc, kStrict };

struct Profile {
  ClientKind kind = ClientKind::kEnvoy;
  std::string_view name = "envoy";
  bool node_on_first_message_only = false;
  bool asks_for_everything = true;    // false: subscribes by name only
  bool explicit_wildcard = false;     // "*" in place of an empty list
  bool nack_keeps_good_part = false;  // a refused response with a valid resource still moves the version on
  int nack_code = 13;                 // of error_detail
  // Reconnecting: from `first`, times `factor` each time, up to `most`, each wait off by up to `jitter` of itself.
  std::chrono::milliseconds backoff_first{500};
  std::chrono::milliseconds backoff_most{30000};
  double backoff_factor = 2;
  double backoff_jitter = 1;
  // What the node announces. Only what we do as well.
  std::span<const std::string_view> client_features = {};
};

// Returns the habits of Envoy, of gRPC, or of a client that does what the text of the protocol alone says.
const Profile& ProfileOf(ClientKind kind);

}  // namespace xdscope::config
