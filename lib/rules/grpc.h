// What the checks for gRPC share.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/check.h"

namespace xdscope::rules {

// Reports those of the fields, which gRPC does not have, that say something: a list that has elements, a boolean that
// is on, a message.
void RefuseForGrpc(const encode::Visited& at, std::string_view rule, std::span<const std::string_view> fields,
                   Context& context);

}  // namespace xdscope::rules
