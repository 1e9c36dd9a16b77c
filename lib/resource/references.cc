#include "lib/resource/references.h"

#include <set>

#include "lib/encode/struct.h"

namespace xdscope::resource {

struct ReferenceFinder::Search {
  std::string_view resource_name;
  std::vector<Reference> found = {};
  std::set<Reference> seen = {};
  int any_depth = 0;
};

ReferenceFinder::ReferenceFinder(wire::Types& types, ThisServer this_server)
    : types_(types), this_server_(std::move(this_server)) {}

std::vector<Reference> ReferenceFinder::Find(const wire::View& resource, std::string_view resource_name) {
  Search search{resource_name};
  Visit(resource, search);
  return std::move(search.found);
}

void ReferenceFinder::Visit(const wire::View& view, Search& search) {
  for (const ReferenceRow* row : rows_.Of(view.type())) Apply(*row, view, search);
  for (const wire::Fields fields(view); const wire::Present& present : fields.known()) {
    if (present.field->kind == wire::Kind::kMessage) VisitField(present, search);
  }
}

void ReferenceFinder::VisitField(const wire::Present& present, Search& search) {
  for (wire::Elements elements(present); elements.Next();) VisitMessage(elements.value().AsMessage(), search);
}

void ReferenceFinder::VisitMessage(const wire::View& view, Search& search) {
  const wire::WellKnown kind = view.type().well_known();
  if (kind == wire::WellKnown::kNone) return Visit(view, search);
  const bool any = kind == wire::WellKnown::kAny;
  if ((!any && kind != wire::WellKnown::kTypedStruct) || search.any_depth == wire::kMaxAnyDepth) return;
  // What cannot be opened is shown as such; it refers to nothing that we know.
  const absl::StatusOr<wire::Message> opened = any ? wire::Open(view, types_) : encode::FromTypedStruct(view, types_);
  if (!opened.ok()) return;
  ++search.any_depth;
  VisitMessage(opened->view(), search);
  --search.any_depth;
}

void ReferenceFinder::Apply(const ReferenceRow& row, const wire::View& view, Search& search) {
  if (row.source_only) return;
  for (Reference& reference : ReferencesOf(row, view, search.resource_name, this_server_)) {
    if (search.seen.insert(reference).second) search.found.push_back(std::move(reference));
  }
}

}  // namespace xdscope::resource
