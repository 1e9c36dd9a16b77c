// The two messages that resources travel and are stored in, read in place: Any, and the Resource that wraps one (A.5,
// A.7 of reference/protocol.md). Everything is a view into the bytes. v2 and v3 have the same fields. Knows no schema.
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
  std::optional<AnyView> resource;
};

// Returns true for the type URL, or the full name, of a Resource of v2 or v3.
bool IsResourceWrapper(std::string_view type_url);

// Reads messages that stand in one buffer. Each Read… returns false at bytes that protobuf's own parser would refuse,
// and fault() says where in the buffer. Fields met again replace or merge as in proto3.
class EnvelopeReader {
 public:
  explicit EnvelopeReader(std::string_view buffer) : buffer_(buffer) {}

  bool ReadAny(std::string_view bytes, AnyView* any);
  bool ReadWrapper(std::string_view bytes, ResourceWrapper* wrapper);
  // Reads field 1, a text, of a message that has nothing else of interest: ResourceName, ControlPlane.
  bool ReadName(std::string_view bytes, std::string_view* name);
  // Takes a text. Returns false where it is not UTF-8.
  bool ReadText(std::string_view bytes, std::string_view* text);
  // Returns whether all fields of `message` could be read.
  bool AtEnd(const FieldReader& fields, std::string_view message);

  // One fact, "malformed field at offset 12"; empty as long as nothing failed.
  const std::string& fault() const { return fault_; }
  void ClearFault() { fault_.clear(); }

 private:
  struct Duration {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
  };
  bool ReadDuration(std::string_view bytes, Duration* duration);
  bool ReadWrapperField(const FieldReader& field, Duration* ttl, ResourceWrapper* wrapper);
  std::size_t OffsetOf(std::string_view part) const;

  std::string_view buffer_;
  std::string fault_;
};

// Appends an Any as field `number`. An empty value is left out, as protobuf does.
void AppendAny(std::string* out, std::uint32_t number, const AnyView& any);

}  // namespace xdscope::base
