// What the descriptor of a type says of it as an extension: its kind, its usual name, in which builds of Envoy it is.
#pragma once

#include <string>
#include <string_view>

#include "lib/wire/type.h"

namespace xdscope::rules {

struct TypeFacts {
  std::string_view kind;    // as KindOfExtension() says
  std::string usual_name;   // "envoy.filters.http.router"; empty: it has none
  bool frozen = false;      // a type of the v2 API
  bool contrib = false;     // in builds with contrib extensions alone
  bool not_linked = false;  // in the API, and not in Envoy
};

TypeFacts FactsOf(const wire::Type& type);

// Returns the name that extensions of a type have by custom; empty for types that are no extensions, and for messages
// inside others.
std::string UsualNameOf(std::string_view type);

// Returns the type that came after one of v2; empty where the schema does not say. Goes through all types, since the
// newer one names the older: that is done for what is written to a person.
std::string SuccessorOf(std::string_view old, const wire::Types& types);

}  // namespace xdscope::rules
