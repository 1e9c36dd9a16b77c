// What an Any holds, and whether it may stand where it does. What has to be known of a type for that is found out when
// it is first seen. [XDS-V120 to V129; reference/validation.md 3.2]
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "lib/base/status.h"
#include "lib/encode/visit.h"
#include "lib/rules/check.h"
#include "lib/rules/type_facts.h"
#include "lib/wire/type.h"

namespace xdscope::rules {

class Anys {
 public:
  // Reports what is wrong with a message of a visit if it is an Any: not with what that holds.
  void Check(const encode::Visited& at, Context& context);
  // Reports why an Any or a TypedStruct did not open: see encode::Visit().
  static void ReportUnopened(const encode::Visited& at, const absl::Status& why, Context& context);

 private:
  const TypeFacts& FactsOf(const wire::Type& type);
  void CheckKind(const encode::Visited& at, const wire::Type& type, const TypeFacts& facts, Context& context);
  void CheckName(const encode::Visited& at, const TypeFacts& facts, Context& context);
  void CheckVersion(const encode::Visited& at, const wire::Type& type, const TypeFacts& facts, Context& context);
  bool IsUsualName(std::string_view name, const wire::Types& types);

  absl::node_hash_map<const wire::Type*, TypeFacts> facts_;
  absl::flat_hash_set<std::string> usual_names_;  // of all extensions, once one of them is asked for
};

}  // namespace xdscope::rules
