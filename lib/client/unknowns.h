// What the schema does not know of the resources that came: fields that they have, and types of what they hold. As
// often as not the schema is what is wrong, so this is counted, and is no finding.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "lib/rules/inspector.h"

namespace xdscope::client {

class Unknowns {
 public:
  struct Fields {
    std::string resource;       // the name of the first that has some …
    rules::Unknown of_it;       // … and what it has
    std::size_t resources = 0;  // how many have some
  };
  struct Type {
    std::string of_type;        // type URL of the first resource that holds something of this type …
    std::string resource;       // … and its name
    std::size_t resources = 0;  // how many do
  };
  // A peer may make up as many types as it likes.
  static constexpr std::size_t kMostTypes = 100;

  // Takes note of what is unknown in one resource.
  void Add(std::string_view type_url, std::string_view name, const rules::Unknown& unknown);

  // By type URL of the resources, and of what they hold.
  const std::map<std::string, Fields, std::less<>>& fields() const { return fields_; }
  const std::map<std::string, Type, std::less<>>& types() const { return types_; }

 private:
  std::map<std::string, Fields, std::less<>> fields_;
  std::map<std::string, Type, std::less<>> types_;
};

}  // namespace xdscope::client
