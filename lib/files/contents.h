// What files hold by type: each name once, sorted, and a version of the whole that is a hash of it. So the same files
// have the same versions whoever reads them, in this run and in others.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/file_resource.h"

namespace xdscope::files {

// All resources of one type.
struct TypeContents {
  std::string type_url;
  std::string version;                 // the same exactly when names and versions of the resources are
  std::vector<ResourcePtr> resources;  // sorted by name, each name once
  std::map<std::string, std::string, std::less<>> aliases = {};  // of names that the resources have

  // Finds a resource by its name; nullptr when there is none.
  const ResourcePtr* Find(std::string_view name) const;
};

// By message name.
using Contents = std::map<std::string, TypeContents, std::less<>>;

// Sorts resources by type and name. Of two of one name the first counts, and a line about it goes to *duplicates: "cds
// web: is in b.yaml:3 and in a.yaml:7; the first counts".
Contents SortByType(const std::vector<ResourcePtr>& resources, std::vector<std::string>* duplicates);

// Returns the contents of a type of which there is nothing.
TypeContents NothingOf(std::string type_url);

}  // namespace xdscope::files
