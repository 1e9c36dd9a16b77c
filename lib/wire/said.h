// The fields of a message that say something, for whoever puts two messages side by side. Protobuf does not tell a
// default that was written from one that was left out, nor an empty packed list from none: neither says anything.
#pragma once

#include <cstddef>

#include "lib/wire/view.h"

namespace xdscope::wire {

// Tells whether a present field says more than its absence would.
inline bool Says(const Present& present) {
  const Field& field = *present.field;
  if (!field.repeated) return field.has_presence || !Single(present).IsDefault();
  return Elements(present).Next();
}

// A cursor over the present fields that say something, by ascending number.
class Said {
 public:
  explicit Said(const View& view) : fields_(view) { Settle(); }
  // Returns nullptr behind the last one.
  const Present* current() const { return at_ < fields_.known().size() ? &fields_.known()[at_] : nullptr; }
  void Next() {
    ++at_;
    Settle();
  }
  // Returns true when the message has fields that its type does not.
  bool has_unknown() const { return fields_.has_unknown(); }

 private:
  void Settle() {
    while (at_ < fields_.known().size() && !Says(fields_.known()[at_])) ++at_;
  }

  Fields fields_;
  std::size_t at_ = 0;
};

}  // namespace xdscope::wire
