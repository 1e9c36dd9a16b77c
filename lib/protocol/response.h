// A discovery response, SotW or delta, v2 or v3, read in place: everything in it is a view into its one buffer, which
// it shares with whoever keeps a resource. Knows the wire fields of A.7; knows nothing of what was asked before.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/finding/finding.h"
#include "lib/types/known_types.h"

namespace xdscope::protocol {

enum class Variant : std::uint8_t { kSotw, kDelta };
// Returns the messages in which a stream or call of this variant speaks.
constexpr Variant VariantOf(types::Variant variant) {
  return types::IsDelta(variant) ? Variant::kDelta : Variant::kSotw;
}

// A response as it came. Shared because the snapshot keeps resources of several responses, each in its own buffer.
using Bytes = std::shared_ptr<const std::string>;

// Counts the responses of a session, over all its streams, from 1.
enum class ResponseId : std::uint64_t {};

struct Resource {
  std::string_view name;             // the wrapper's, else the payload's own; empty: nothing names it
  std::string_view structured_name;  // Resource.resource_name.name, of resources with variants
  std::string_view version;          // SotW: the response's (what a wrapper says is not used, B.1-12); delta: its own
  std::string_view type_url;         // of the payload
  std::string_view payload;          // Any.value
  std::string_view entry;            // the whole Any (SotW) or Resource (delta) as it stands in the response
  std::vector<std::string_view> aliases;
  std::optional<std::chrono::nanoseconds> ttl;
  bool wrapped = false;      // came in a Resource; always so in delta
  bool has_payload = false;  // false: a heartbeat, an alias answer or "does not exist" (K3)
  bool heartbeat = false;    // no payload, held, at the held version: touches the timer and nothing else
  bool unreadable = false;   // a SotW wrapper whose bytes are no Resource
  bool repeated = false;     // a resource before it has the same name; nothing follows from this one
  bool unasked = false;      // nothing asked for it on this stream: to be ignored (B.0-10)
};

// What the server says about a name it does not deliver (TP3).
struct ResourceError {
  std::string_view name;
  int code = 0;
  std::string_view message;
};

// Whether the error takes away what is held under the name; of the others it stays (B.0-20).
bool TakesAway(const ResourceError& error);

struct Response {
  ResponseId id{};
  Bytes bytes;
  // The type whose conversation it belongs to: as it was asked for, where the response's own spelling (or silence, on a
  // stream of one type) lets that be known; else as the response spells it.
  std::string type_url;
  std::string_view said_type_url;  // as the response spells it
  std::string_view version;        // delta: system_version_info
  std::string_view nonce;
  std::string_view control_plane;  // its identifier
  std::vector<Resource> resources;
  std::vector<std::string_view> removed;
  std::vector<ResourceError> errors;
  std::vector<finding::Finding> findings;  // what the server got wrong; never a reason to refuse the bytes
  std::vector<std::size_t> bad;            // places of all resources that break a rule of finding::MakesBad(): of
                                           // the findings about them some may not be kept (finding/sample.h)
  bool first = false;                      // of its type on this stream
  bool expects_answer = false;  // false: its type was never asked for on this stream; clients drop it (B.1-15)
};

// Returns how many resources, aliases of them, removed names and the like a response of so many bytes may have. Two
// bytes suffice for one, and each costs up to 650 here, so that a small message would fill any memory otherwise:
// 100,000 whatever they are, and beyond them one for each sixteen bytes, in which a name and something about it can be
// said.
constexpr std::size_t MostParts(std::size_t bytes) {
  return std::min(std::size_t{100'000} + bytes / 16, std::size_t{4'000'000});
}

// Reads the fields that stand in `bytes`; id, type_url, findings, first, expects_answer and what depends on
// earlier messages stay at their defaults. Names are those of wrappers only. DATA_LOSS: the bytes are no such message,
// with the offset of the first byte that could not be read, or they have more parts than
// MostParts().
absl::StatusOr<Response> ReadResponse(Variant variant, Bytes bytes);

}  // namespace xdscope::protocol
