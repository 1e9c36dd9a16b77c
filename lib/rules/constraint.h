// What one rule of PGV demands of one value, compiled from the option of its field: a rule is a predicate and the words
// for it. [reference/validation.md 1.1, 1.3: the semantics are those of PGV's C++ templates, which Envoy runs]
//
// Of a family's rules some stand for two demands (a length between two bounds), others together for one (a range that
// is turned inside out): what comes back is a list of demands, each of which a value keeps or breaks by itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/wire/view.h"

namespace xdscope::rules {

struct Constraint {
  std::string_view rule;  // the id, "pgv.uint32.gte": lives as long as the program
  std::string option;     // as validate.proto spells it: "gte: 1"
  std::string words;      // behind the name of a field: "must be at least 1"
  std::function<bool(const wire::Value&)> holds;
};
using Constraints = std::vector<Constraint>;

// Each compiles the rules of one family: `rules` is a message of validate.proto, `family` the name of the field of
// FieldRules in which it stands. `field` is the field that they are about, for the names of enum values.
Constraints NumberConstraints(std::string_view family, const wire::View& rules);
Constraints EnumConstraints(const wire::View& rules, const wire::Field& field);
Constraints TextConstraints(std::string_view family, const wire::View& rules);
// Demands that the values are messages. Rules about the present moment (lt_now, gt_now, within) are left out: Envoy has
// none, and could not run one.
Constraints TimeConstraints(std::string_view family, const wire::View& rules);
Constraints AnyConstraints(const wire::View& rules);
// Compiles what a list's or a map's rules say of the number of its elements: that is the value, as an unsigned number.
Constraints SizeConstraints(std::string_view family, const wire::View& rules);

// Returns the elements of a repeated field of a message.
std::vector<wire::Value> ListOf(const wire::View& view, std::string_view field);
// Returns true when a boolean of a message is set and true.
bool IsTrue(const wire::View& view, std::string_view field);

// Spells a time as JSON does: "0.25s".
std::string SpellTime(const wire::View& time);

}  // namespace xdscope::rules
