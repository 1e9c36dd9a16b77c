// Finds resources that a client refuses for what they say: a rule of PGV is broken, or an Any in one cannot be read.
// [reference/validation.md 1, XDS-V127]
#pragma once

#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/rules/inspector.h"
#include "lib/source/update.h"
#include "lib/wire/type.h"

namespace xdscope::client {

class RuleChecker {
 public:
  // `types` must live longer.
  explicit RuleChecker(wire::Types& types) : inspector_(types, rules::Depth::kRefusals) {}

  // Adds what is found in the resources of an update, and returns the names of the bad ones: all of them, of those too
  // whose findings are not kept. What came again byte for byte was judged before.
  std::vector<std::string> Check(const source::Update& update, std::vector<finding::Finding>* findings);

 private:
  rules::Inspector inspector_;
};

}  // namespace xdscope::client
