// What an Any holds, and whether it may stand where it does. [XDS-V120 to V129; reference/validation.md 3.2]
#pragma once

#include "lib/base/status.h"
#include "lib/encode/visit.h"
#include "lib/rules/check.h"

namespace xdscope::rules {

// Reports why an Any or a TypedStruct did not open: see encode::Visit().
void ReportUnopened(const encode::Visited& at, const absl::Status& why, Context& context);

}  // namespace xdscope::rules
