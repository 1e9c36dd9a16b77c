// Wire bytes without their secrets, for the one format that is the bytes themselves. Text and bytes become
// "[redacted]", numbers are left out: what Envoy's own redaction does.
#pragma once

#include <string>
#include <string_view>

#include "lib/format/secrets.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::format {

class Redactor {
 public:
  // `types` must live longer.
  explicit Redactor(wire::Types& types) : types_(types), secrets_(types, false) {}

  // Returns the payload of an Any of this type without its secrets. Bytes that cannot be opened come back as they are,
  // or empty where they may hold a secret. `response_type`: of the response that the Any stands in, where it is in one.
  std::string Payload(std::string_view type_url, std::string_view bytes, std::string_view response_type = {}) {
    return Payload(type_url, bytes, secrets_.InResponse(response_type));
  }
  // Returns a message without its secrets.
  std::string Message(const wire::View& message) { return Message(message, WalkState()); }

 private:
  std::string Payload(std::string_view type_url, std::string_view bytes, WalkState state);
  std::string Message(const wire::View& message, WalkState state);
  void AddField(const wire::View& parent, const wire::Field& field, const base::FieldReader& reader, WalkState state,
                std::string* out);
  void AddMapEntry(const wire::Field& field, const wire::View& entry, WalkState state, std::string* out);
  std::string Any(const wire::View& any, WalkState state);

  wire::Types& types_;
  Secrets secrets_;
};

}  // namespace xdscope::format
