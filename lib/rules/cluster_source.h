// Where a cluster has its endpoints from, as its type says. [reference/validation.md 2.4]
#pragma once

#include <cstdint>

#include "lib/wire/type.h"
#include "lib/wire/view.h"

namespace xdscope::rules {

// As far as the rules tell it.
enum class Source : std::uint8_t {
  kStatic,
  kStrictDns,
  kLogicalDns,
  kEds,
  kOriginalDst,
  kProvider,  // a custom type that balances load itself
  kOther,     // another custom type
};

Source SourceOf(const wire::View& cluster, wire::Types& types);

}  // namespace xdscope::rules
