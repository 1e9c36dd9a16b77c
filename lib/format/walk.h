// The walk over a decoded message: visits it in order and tells a Writer what is there. All knowledge of Any,
// well-known types, maps, enums, unknown fields and secrets is here; a format knows none of it.
//
// Order: fields by ascending number, maps by key. Nothing ends a walk early: what cannot be read is shown as that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/format/secrets.h"
#include "lib/format/writer.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::format {

// How fields are called.
enum class FieldNames : std::uint8_t {
  kProto,  // as in the .proto file
  kCamel,  // as in protobuf's JSON
};

struct WalkOptions {
  FieldNames names = FieldNames::kProto;
  // Shows secrets as they are, instead of "[redacted]".
  bool show_secrets = false;
  // Shows fields that are not set, with their defaults, where those are no message and no member of a oneof.
  bool emit_defaults = false;
  // Shows fields that the schema does not have: a list under "@unknown", comments in formats that know fields only.
  bool unknown_fields = false;
};

// Walks one value after another into one writer. What cannot be opened, in an Any or at the top, becomes
// {"@type": URL, "@error": why, "@value": base64}; secrets are hidden there too.
class Walker {
 public:
  // Demands that `types` and `writer` live longer.
  Walker(wire::Types& types, const WalkOptions& options, Writer& writer);

  // Walks a message, without its type.
  void Message(const wire::View& message) { Message(message, WalkState()); }
  // Walks this URL and these bytes as a google.protobuf.Any of them. `response_type`: of the response that the Any
  // stands in, where it is in one.
  void Any(std::string_view type_url, std::string_view bytes, std::string_view response_type = {}) {
    Any(type_url, bytes, secrets_.InResponse(response_type));
  }
  // Does the same with what is decoded already.
  void Any(std::string_view type_url, const wire::View& message, std::string_view response_type = {}) {
    Opened(type_url, message, secrets_.InResponse(response_type));
  }
  // Writes what is known to be broken, with the reason.
  void Unopened(std::string_view type_url, std::string_view bytes, std::string_view why) {
    Unopened(type_url, bytes, why, WalkState());
  }

  // For whoever walks himself and wants one value shown: each does as a walk does that stands at `state`, outside of
  // the value. A hidden number is left out by what stands around it, and is the caller's to leave out here.
  void Message(const wire::View& message, WalkState state);
  void Value(const wire::Value& value, WalkState state);
  void UnknownValue(const wire::UnknownField& field, bool show);
  // Does so with the two fields of an Any; `state` is the one inside it.
  void Any(std::string_view type_url, std::string_view bytes, WalkState state);

 private:
  // walk.cc: messages and their fields
  void Object(const wire::View& message, WalkState state);
  void Members(const wire::View& message, WalkState state);
  void MembersAndDefaults(const wire::View& message, const wire::Fields& fields, WalkState state);
  void Member(const wire::View& parent, const wire::Present& present, WalkState state);
  void Default(const wire::Field& field);
  void FieldKey(const wire::Field& field);
  void List(const wire::Present& present, WalkState state);
  void Map(const wire::Present& present, WalkState state);
  void MapKey(const wire::Value& key);
  void Text(const wire::Field& field, std::string_view text);
  void Enum(const wire::Value& value);
  void Unknown(const wire::View& message, WalkState state);
  void UnknownEntry(const wire::UnknownField& field, bool show);
  void UnknownComment(const wire::UnknownField& field, bool show);

  // walk_known.cc: Any and the well-known types
  void Opened(std::string_view type_url, const wire::View& message, WalkState state);
  void OpenedJson(std::string_view type_url, const wire::View& message, WalkState state);
  void OpenedText(std::string_view type_url, const wire::View& message, WalkState state);
  void Unopened(std::string_view type_url, std::string_view bytes, std::string_view why, WalkState state);
  void WellKnown(const wire::View& message, WalkState state);
  bool Time(const wire::View& message);
  void FieldMask(const wire::View& message);
  void Struct(const wire::View& message, WalkState state);
  void StructValue(const wire::View& message, WalkState state);
  void ListValue(const wire::View& message, WalkState state);

  wire::Types& types_;
  WalkOptions options_;
  Writer& writer_;
  bool json_;  // writer_.mapping() == Mapping::kJson
  Secrets secrets_;
  std::string space_;  // for repaired text
};

}  // namespace xdscope::format
