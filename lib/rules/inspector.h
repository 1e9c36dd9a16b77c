// Judges resources: visits each message of one, wherever it stands, and runs every check on it. The checks know
// messages; this knows how they are come by.
#pragma once

#include "lib/finding/sample.h"
#include "lib/rules/pgv.h"
#include "lib/rules/report.h"
#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

class Inspector {
 public:
  // `types` must live longer.
  explicit Inspector(wire::Types& types) : types_(types), pgv_(types) {}

  // Adds what is wrong with a resource. Takes time in proportion to the resource.
  void Inspect(const Subject& subject, const wire::View& resource, finding::Sample* findings);

 private:
  wire::Types& types_;
  Pgv pgv_;
};

}  // namespace xdscope::rules
