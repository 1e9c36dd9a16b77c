// Finds resources that a client refuses for what they say: on the spot those that break a rule of PGV or hold an Any
// that cannot be read; with all rules those too that Envoy refuses later. [reference/validation.md 1, 2, XDS-V127]
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
  explicit RuleChecker(wire::Types& types, rules::Depth depth = rules::Depth::kRefusals)
      : depth_(depth), inspector_(types, depth) {}

  // What was found in an update.
  struct Result {
    std::vector<finding::Finding> errors;
    std::vector<finding::Finding> remarks;  // for which nobody refuses anything; with all rules alone
    std::vector<std::string> bad;  // names of resources with an error, of those too whose findings are not kept
  };

  // Checks the resources of an update. What came again byte for byte (Update::same) was checked before.
  Result Check(const source::Update& update);

 private:
  rules::Depth depth_;
  rules::Inspector inspector_;
};

}  // namespace xdscope::client
