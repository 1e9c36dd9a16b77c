// The bytes of a discovery response, in parts: entries, which are the same for every stream and are built once, and an
// envelope of a few bytes for each. Protobuf's fields may stand in any order, so a response is its envelope and its
// entries, one after another. v2 and v3 have the same fields (A.7).
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace xdscope::protocol {

// One resource of a DiscoveryResponse: an Any of this type.
std::string EncodeSotwEntry(std::string_view type_url, std::string_view payload);
// The same in a wrapper, which has a name and a time to live. It has no version: that of the response counts (B.1-12).
std::string EncodeWrappedEntry(std::string_view name, std::chrono::nanoseconds ttl, std::string_view type_url,
                               std::string_view payload);

struct DeltaEntry {
  std::string_view name;
  std::string_view version;
  std::span<const std::string> aliases;
  std::string_view type_url;
  std::string_view payload;
  std::chrono::nanoseconds ttl{0};  // 0: it has none
};

// One resource of a DeltaDiscoveryResponse: a Resource around an Any.
std::string EncodeDeltaEntry(const DeltaEntry& entry);
// The delta entry that says of a resource that it lives on (B.2-18): name, version and time to live, no payload.
std::string EncodeHeartbeat(std::string_view name, std::string_view version, std::chrono::nanoseconds ttl);
// The delta entry that says of an alias that nothing goes by it (VHDS): name and alias, no payload.
std::string EncodeUnresolved(std::string_view alias);

// All fields of a response but its resources.
std::string SotwEnvelope(std::string_view version, std::string_view type_url, std::string_view nonce);
std::string DeltaEnvelope(std::string_view system_version, std::string_view type_url, std::string_view nonce,
                          std::span<const std::string> removed);

}  // namespace xdscope::protocol
