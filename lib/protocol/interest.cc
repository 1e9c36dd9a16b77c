#include "lib/protocol/interest.h"

#include <algorithm>
#include <utility>

#include "lib/protocol/names.h"

namespace xdscope::protocol {

Interest Interest::Everything() {
  Interest result;
  result.everything_ = true;
  return result;
}

Interest Interest::Names(std::vector<std::string> names) {
  Interest result;
  std::string room;
  for (std::string& name : names) {
    if (const std::string_view normal = NormalName(name, &room); normal.data() != name.data()) name = room;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  result.starred_ = std::erase(names, kStar) > 0;
  result.everything_ = result.starred_;
  std::erase(names, std::string());
  result.names_ = std::move(names);
  return result;
}

Interest Interest::EverythingAnd(std::vector<std::string> names) {
  Interest result = Names(std::move(names));
  result.everything_ = true;
  return result;
}

bool Interest::Has(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

}  // namespace xdscope::protocol
