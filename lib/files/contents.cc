#include "lib/files/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/type_url.h"
#include "lib/files/version_hash.h"
#include "lib/types/known_types.h"

namespace xdscope::files {
namespace {

bool Before(const ResourcePtr& a, const ResourcePtr& b) {
  return a->name < b->name;
}

std::string ShortName(std::string_view type_url) {
  const types::KnownType* known = types::FindByUrl(type_url);
  return std::string(known != nullptr ? known->short_name : base::MessageName(type_url));
}

// Leaves each name once.
void DropDuplicates(TypeContents* contents, std::vector<std::string>* duplicates) {
  std::vector<ResourcePtr>& all = contents->resources;
  const auto same = [&](const ResourcePtr& first, const ResourcePtr& other) {
    if (first->name != other->name) return false;
    duplicates->push_back(fmt::format("{} {}: is in {} and in {}; the first counts", ShortName(contents->type_url),
                                      first->name, first->origin, other->origin));
    return true;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

// Gives the type its version, and the aliases the names that they stand for.
void Label(TypeContents* contents) {
  VersionHash hash;
  for (const ResourcePtr& resource : contents->resources) {
    hash.Add(resource->name);
    hash.Add(resource->version);
    for (const std::string& alias : resource->aliases) contents->aliases.emplace(alias, resource->name);
  }
  contents->version = hash.Hex();
}

}  // namespace

const ResourcePtr* TypeContents::Find(std::string_view name) const {
  const auto found =
      std::lower_bound(resources.begin(), resources.end(), name,
                       [](const ResourcePtr& resource, std::string_view wanted) { return resource->name < wanted; });
  return found != resources.end() && (*found)->name == name ? &*found : nullptr;
}

Contents SortByType(const std::vector<ResourcePtr>& resources, std::vector<std::string>* duplicates) {
  Contents contents;
  for (const ResourcePtr& resource : resources) {
    TypeContents& type = contents[std::string(base::MessageName(resource->type_url))];
    type.type_url = resource->type_url;
    type.resources.push_back(resource);
  }
  for (auto& [name, type] : contents) {
    std::stable_sort(type.resources.begin(), type.resources.end(), Before);
    DropDuplicates(&type, duplicates);
    Label(&type);
  }
  return contents;
}

TypeContents NothingOf(std::string type_url) {
  TypeContents nothing{.type_url = std::move(type_url), .version = {}, .resources = {}};
  Label(&nothing);
  return nothing;
}

}  // namespace xdscope::files
