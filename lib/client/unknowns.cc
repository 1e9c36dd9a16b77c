#include "lib/client/unknowns.h"

namespace xdscope::client {

void Unknowns::Add(std::string_view type_url, std::string_view name, const rules::Unknown& unknown) {
  if (unknown.fields > 0) {
    Fields& fields = fields_.try_emplace(std::string(type_url)).first->second;
    if (fields.resources++ == 0) {
      fields.resource = name;
      fields.of_it = unknown;
    }
  }
  for (const std::string& url : unknown.types) {
    if (types_.size() >= kMostTypes && !types_.contains(url)) continue;
    Type& type = types_[url];
    if (type.resources++ > 0) continue;
    type.of_type = type_url;
    type.resource = name;
  }
}

}  // namespace xdscope::client
