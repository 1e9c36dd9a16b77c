// Which resources of one type a client wants: nothing, everything, some names, or everything and some names besides. A
// value, declared whole; how it is said to a server (an empty list, '*', a difference) is the subscription's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xdscope::protocol {

class Interest {
 public:
  // Nothing.
  Interest() = default;
  static Interest Nothing() { return {}; }
  static Interest Everything();
  // The names, sorted and each once, in normal form; empty ones are left out. "*" among them is "everything" and will
  // be said by that word, whatever the session's own way is. Demands UTF-8, as every name on the wire.
  static Interest Names(std::vector<std::string> names);
  // Everything, and these names even where everything would not hold them.
  static Interest EverythingAnd(std::vector<std::string> names);

  bool is_nothing() const { return !everything_ && names_.empty(); }
  bool everything() const { return everything_; }
  // "Everything" was asked for as "*".
  bool starred() const { return starred_; }
  // The names asked for one by one, sorted; never "*".
  const std::vector<std::string>& names() const { return names_; }
  // Whether `name` (in normal form) is one of names().
  bool Has(std::string_view name) const;

  friend bool operator==(const Interest&, const Interest&) = default;

 private:
  bool everything_ = false;
  bool starred_ = false;
  std::vector<std::string> names_;
};

}  // namespace xdscope::protocol
