#include "lib/protocol/interest.h"

#include "lib/protocol/names.h"

namespace xdscope::protocol {

Interest Interest::Everything() {
  Interest result;
  result.SetEverything(true, false);
  return result;
}

Interest Interest::Names(std::vector<std::string> names) {
  Interest result;
  std::string room;
  for (std::string& name : names) {
    if (const std::string_view normal = NormalName(name, &room); normal.data() != name.data()) name = room;
    if (name == kStar) {
      result.SetEverything(true, true);
    } else if (!name.empty()) {
      result.names_.insert(std::move(name));
    }
  }
  return result;
}

Interest Interest::EverythingAnd(std::vector<std::string> names) {
  Interest result = Names(std::move(names));
  result.SetEverything(true, result.starred());
  return result;
}

void InterestChange::ApplyTo(Interest* interest) const {
  for (const std::string& name : remove.names()) interest->Remove(name);
  for (const std::string& name : add.names()) interest->Add(name);
  if (remove.everything()) interest->SetEverything(false, false);
  if (add.everything()) interest->SetEverything(true, add.starred());
}

InterestChange ChangeBetween(const Interest& from, const Interest& to) {
  InterestChange change;
  for (const std::string& name : to.names()) {
    if (!from.Has(name)) change.add.Add(name);
  }
  for (const std::string& name : from.names()) {
    if (!to.Has(name)) change.remove.Add(name);
  }
  const bool says_it_anew = to.everything() && (!from.everything() || to.starred() != from.starred());
  if (says_it_anew) change.add.SetEverything(true, to.starred());
  if (from.everything() && !to.everything()) change.remove.SetEverything(true, false);
  return change;
}

}  // namespace xdscope::protocol
