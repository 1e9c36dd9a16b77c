// Whole messages of the discovery protocol: what they are called in each version of the API, and a walk over the bytes
// of one, readable or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/format/walk.h"
#include "lib/types/known_types.h"
#include "lib/wire/type.h"

namespace xdscope::cli {

enum class Direction : std::uint8_t { kRequest, kResponse };

// Returns the full name of a message: "envoy.service.discovery.v3.DeltaDiscoveryRequest".
std::string DiscoveryMessage(types::Api api, bool delta, Direction direction);

// Walks over a message of the type with this full name. What cannot be decoded is shown as "@type" and "@error", with
// `show_secrets` as its bytes too: nobody knows what is in them.
void WalkMessage(std::string_view type, std::string_view bytes, bool show_secrets, wire::Types& types,
                 format::Walker& walker);

inline constexpr std::string_view kHiddenBytes = "its bytes may hold secrets: --show-secrets shows them";

}  // namespace xdscope::cli
