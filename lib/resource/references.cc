#include "lib/resource/references.h"

#include <set>

#include "lib/base/type_url.h"
#include "lib/encode/visit.h"
#include "lib/wire/sensitive.h"

namespace xdscope::resource {
namespace {

// References in the order in which they were found, each once.
class Found {
 public:
  void Add(std::vector<Reference> references) {
    for (Reference& reference : references) {
      if (seen_.insert(reference).second) list_.push_back(std::move(reference));
    }
  }
  std::vector<Reference> Take() { return std::move(list_); }

 private:
  std::vector<Reference> list_;
  std::set<Reference> seen_;
};

bool IsHidden(const encode::Visited& at) {
  return at.message.type().is_secret() || (at.field != nullptr && at.field->sensitive == wire::Sensitive::kYes);
}

}  // namespace

ReferenceFinder::ReferenceFinder(wire::Types& types, ThisServer this_server)
    : types_(types), this_server_(std::move(this_server)) {}

std::vector<Reference> ReferenceFinder::Find(std::string_view type_url, const wire::View& resource,
                                             std::string_view resource_name) {
  if (wire::IsSecretType(base::MessageName(type_url))) return {};
  Found found;
  encode::Visit(resource, types_, [&](const encode::Visited& at) {
    if (IsHidden(at)) return false;
    const wire::WellKnown kind = at.message.type().well_known();
    if (kind != wire::WellKnown::kNone) return kind == wire::WellKnown::kAny || kind == wire::WellKnown::kTypedStruct;
    for (const ReferenceRow* row : rows_.Of(at.message.type())) {
      if (!row->source_only) found.Add(ReferencesOf(*row, at.message, resource_name, this_server_));
    }
    return true;
  });
  return found.Take();
}

}  // namespace xdscope::resource
