// What a resource refers to: clusters, route configurations, endpoints, secrets, extension configurations … by name,
// wherever the reference sits, inside `Any` and TypedStruct too. Driven by the table, no code per filter. Knows
// messages, not who fetches what.
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

  // The references of a resource, each once, in the order in which they stand there.
  std::vector<Reference> Find(const wire::View& resource, std::string_view resource_name);

 private:
  struct Search;

  void Visit(const wire::View& view, Search& search);
  void VisitField(const wire::Present& present, Search& search);
  void VisitMessage(const wire::View& view, Search& search);
  void Apply(const ReferenceRow& row, const wire::View& view, Search& search);

  wire::Types& types_;
  ThisServer this_server_;
  RowsByType rows_;
};

}  // namespace xdscope::resource
