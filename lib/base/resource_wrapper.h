// The two messages that resources travel and are stored in, read in place: Any, and the Resource that wraps one (A.5,
// A.7 of reference/protocol.md). Everything is a view into the bytes. v2 and v3 have the same fields. Knows no schema:
// it serves the protocol, which has none, and the readers of files, which need no tables for two messages that never
// change.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fields.h"

namespace xdscope::base {

// The two fields of a google.protobuf.Any; each is empty where the Any does not have it.
struct AnyView {
  std::string_view type_url;
  std::string_view value;
};

struct ResourceWrapper {
  std::string_view version;
  std::string_view name;
  std::string_view structured_name;  // resource_name.name, of resources with variants
  std::vector<std::string_view> aliases;
  std::optional<std::chrono::nanoseconds> ttl;  // cut to what nanoseconds can say, about 292 years either way
  std::optional<AnyView> resource;              // nullopt: the Resource has no payload, as in a heartbeat
};

// The numbers of the fields that a DiscoveryResponse and a DeltaDiscoveryResponse have in common. [A.7]
inline constexpr std::uint32_t kResponseVersionField = 1;
inline constexpr std::uint32_t kResponseResourcesField = 2;
inline constexpr std::uint32_t kResponseTypeUrlField = 4;
inline constexpr std::uint32_t kResponseNonceField = 5;

// Returns true for the type URL, or the full name, of a Resource of v2 or v3.
bool IsResourceWrapper(std::string_view type_url);

// Reads messages that stand in one buffer. Each Read… returns false at bytes that protobuf's own parser would refuse,
// and fault() says where in the buffer. Fields met again replace or merge as in proto3.
class EnvelopeReader {
 public:
  explicit EnvelopeReader(std::string_view buffer) : buffer_(buffer) {}

  // Each adds what the bytes say to what is there already.
  bool ReadAny(std::string_view bytes, AnyView* any);
  bool ReadWrapper(std::string_view bytes, ResourceWrapper* wrapper);
  // Reads field 1, a text, of a message that has nothing else of interest: ResourceName, ControlPlane.
  bool ReadName(std::string_view bytes, std::string_view* name);
  // Takes a text. Returns false where it is not UTF-8.
  bool ReadText(std::string_view bytes, std::string_view* text);
  // Returns whether all fields of `message` could be read.
  bool AtEnd(const FieldReader& fields, std::string_view message);

  // Returns one fact, "malformed field at offset 12"; nothing as long as nothing failed.
  const std::string& fault() const { return fault_; }
  void ClearFault() { fault_.clear(); }

 private:
  struct Ttl {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
  };
  bool ReadTtl(std::string_view bytes, Ttl* ttl);
  bool ReadWrapperField(const FieldReader& field, Ttl* ttl, ResourceWrapper* wrapper);
  std::size_t OffsetOf(std::string_view part) const;

  std::string_view buffer_;
  std::string fault_;
};

// Returns the bytes of an Any. Leaves out what is empty, as protobuf does.
std::string BytesOf(const AnyView& any);
// Appends an Any as field `number`.
void AppendAny(std::string* out, std::uint32_t number, const AnyView& any);

}  // namespace xdscope::base
