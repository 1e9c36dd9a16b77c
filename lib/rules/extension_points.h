// Where extensions stand in the API, and which kind belongs there: a network filter in a filter chain, an HTTP filter
// in a connection manager. The kind of a type is told by its package. [XDS-V125; reference/validation.md 3.2 to 3.4]
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace xdscope::rules {

// Returns what a type is, by its full name: "an HTTP filter". Empty where that is not known: then it may stand
// anywhere.
std::string_view KindOfExtension(std::string_view full_name);

// A field that takes an Any of certain kinds, or a TypedExtensionConfig that holds one.
struct ExtensionPoint {
  std::string_view message;               // full name
  std::string_view field;                 // its name
  std::array<std::string_view, 2> kinds;  // which belong there; empty: no more

  bool Takes(std::string_view kind) const { return kind == kinds[0] || kind == kinds[1]; }
};

// Returns all that are known.
std::span<const ExtensionPoint> ExtensionPoints();
// Finds the point by its message and field; nullptr where anything may stand there.
const ExtensionPoint* FindExtensionPoint(std::string_view message, std::string_view field);

}  // namespace xdscope::rules
