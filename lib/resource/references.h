// Finds what a resource refers to by name: clusters, route configurations, endpoints, secrets, extension configurations
// … It looks wherever a reference can stand, inside an Any and a TypedStruct too. The table says which fields refer, so
// there is no code per filter. Knows messages; does not know who fetches what.
#pragma once

#include <string_view>
#include <vector>

#include "lib/resource/reference_rows.h"
#include "lib/wire/message.h"
#include "lib/wire/view.h"

namespace xdscope::resource {

class ReferenceFinder {
 public:
  explicit ReferenceFinder(wire::Types& types, ThisServer this_server = {});

  // Returns the references of a resource that came as one of `type_url`, each once, in the order of a visit: fields by
  // number, maps by key. What may not be shown refers to nothing, since a name would be shown, and asked for: all that
  // came as a Secret, whatever its own type, Secrets inside others, and sensitive fields.
  std::vector<Reference> Find(std::string_view type_url, const wire::View& resource, std::string_view resource_name);

 private:
  wire::Types& types_;
  ThisServer this_server_;
  RowsByType rows_;
};

}  // namespace xdscope::resource
