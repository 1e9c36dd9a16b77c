// Judges resources: visits each message of one, wherever it stands, and runs PGV, the annotations of the API and every
// check on it that looks at messages of its type. The checks know messages; this knows how they are come by.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/finding/sample.h"
#include "lib/rules/annotations.h"
#include "lib/rules/anys.h"
#include "lib/rules/check.h"
#include "lib/rules/pgv.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// How much is looked for.
enum class Depth : std::uint8_t {
  kAll,
  kRefusals,  // what clients refuse on the spot: PGV, and an Any that cannot be read
};

class Inspector {
 public:
  // `types` must live longer.
  explicit Inspector(wire::Types& types, Depth depth = Depth::kAll) : types_(types), depth_(depth), pgv_(types) {}

  // Adds what is wrong with a resource. Takes time in proportion to the resource.
  void Inspect(const Subject& subject, const wire::View& resource, finding::Sample* findings);

 private:
  const std::vector<const Check*>& ChecksOf(const wire::Type& type);
  bool CanRun(const Check& check);

  wire::Types& types_;
  Depth depth_;
  Pgv pgv_;
  Annotations annotations_;
  Anys anys_;
  absl::flat_hash_map<const wire::Type*, std::vector<const Check*>> checks_;
};

}  // namespace xdscope::rules
