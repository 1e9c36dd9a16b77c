// How checks read messages: by the names of fields, as the API has them. A field that is not set, and one that the
// schema does not have, is nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/rules/constraint.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// Tells whether a singular field is set.
inline bool Has(const wire::View& view, std::string_view field) {
  return view.Get(field).has_value();
}
// Tells whether a boolean is true, in a google.protobuf.BoolValue too.
bool IsOn(const wire::View& view, std::string_view field);
// Returns the message in a singular field; nullopt when it is not set.
std::optional<wire::View> MessageIn(const wire::View& view, std::string_view field);
// Returns the messages, and the texts, of a repeated field.
std::vector<wire::View> MessagesIn(const wire::View& view, std::string_view field);
std::vector<std::string_view> TextsIn(const wire::View& view, std::string_view field);
// Returns the number in a singular field or in a wrapper there; nullopt when it is not set.
std::optional<std::uint64_t> NumberIn(const wire::View& view, std::string_view field);

// Returns the full name of the type that an Any holds, or spells by a TypedStruct; empty where it does not say.
std::string_view TypeInAny(const wire::View& any, wire::Types& types);
// Returns the type of an extension's `typed_config`.
std::string_view TypeOfExtension(const wire::View& extension, wire::Types& types);

// Tells whether a text is an IP address, of either version.
bool IsIpAddress(std::string_view text);

}  // namespace xdscope::rules
