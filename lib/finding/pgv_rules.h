// The ids of the rules of protoc-gen-validate (PGV), which the Envoy API has as options of its fields:
// "pgv.FAMILY.RULE", as in validate.proto. [reference/validation.md 1.1]
#pragma once

#include <span>
#include <string_view>

#include "lib/finding/rules.h"

namespace xdscope::finding {

// Returns one row for each rule of each family; sorted by id.
std::span<const Rule> PgvRules();

// Returns the id of a rule, which lives as long as the program: PgvRule("uint32", "gte") is "pgv.uint32.gte". Empty
// where PGV has no such rule.
std::string_view PgvRule(std::string_view family, std::string_view rule);

}  // namespace xdscope::finding
