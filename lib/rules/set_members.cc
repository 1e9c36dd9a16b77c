#include "lib/rules/set_members.h"

#include <utility>

#include "lib/base/type_url.h"
#include "lib/types/known_types.h"

namespace xdscope::rules {

std::string_view KindOf(const Member& member) {
  return base::MessageName(member.subject.type_url);
}

std::string WordFor(std::string_view type_url) {
  const types::KnownType* const known = types::FindByUrl(type_url);
  return known == nullptr ? std::string(base::MessageName(type_url)) : std::string(known->short_name);
}

std::string PluralFor(std::string_view type_url) {
  const types::KnownType* const known = types::FindByUrl(type_url);
  return std::string(known == nullptr || known->plural.empty() ? base::MessageName(type_url) : known->plural);
}

finding::Related RelatedTo(const Member& other, finding::Path path, const Member& member,
                           std::span<const std::string> files) {
  finding::Related related;
  related.type_url = other.subject.type_url;
  related.resource = other.subject.name;
  related.entry = other.subject.entry;
  related.path = std::move(path);
  if (other.file != member.file) related.file = files[other.file];
  return related;
}

}  // namespace xdscope::rules
