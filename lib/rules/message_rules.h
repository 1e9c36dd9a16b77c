// What PGV demands of the messages of one type: the options (validate.rules), (validate.required), (validate.disabled)
// and (validate.ignored) of its descriptor, compiled once. They are read with the schema's own validate.proto, so that
// the types of a `--schema` bring their own rules. [reference/validation.md 1.1]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/rules/constraint.h"
#include "lib/wire/type.h"

namespace xdscope::rules {

// Whether PGV looks at what is below a field.
enum class Below : std::uint8_t {
  kChecked,
  kSkipped,  // (message.skip): it says that it does not
  // A rule of another family than that of messages, on a message: PGV's templates then forget what is below. Envoy has
  // one such field, ExtensionConfigSource.config_source. [validation.md 1.3-14]
  kForgotten,
};

// What is demanded of a value: of a singular field, an element, a key.
struct ValueRules {
  bool wrapped = false;       // the value stands in a google.protobuf.UInt32Value or one of its kin
  bool ignore_empty = false;  // a default value keeps all of them
  Below below = Below::kChecked;
  Constraints constraints;
};

// What is demanded of a field.
struct FieldRules {
  const wire::Field* field = nullptr;
  std::string_view required;  // the id of the rule by which the field has to be set; empty: it has not
  ValueRules value;           // of a list: of each element; of a map: of each value
  ValueRules key;             // of a map
  // Of lists and maps.
  Constraints size;
  bool unique = false;
  bool ignore_empty = false;
  // Those of `value` (of a list or a map: of `size`) that a field without presence breaks when it is not there.
  std::vector<const Constraint*> broken_by_absence;
};

struct RequiredOneof {
  std::int16_t index;  // as in wire::Field::oneof
  std::string_view name;
};

struct MessageRules {
  bool off = false;  // (validate.disabled) or (validate.ignored): nothing is demanded, nor of what is below
  std::vector<FieldRules> fields;  // those of which something is demanded, in ascending order of their numbers
  std::vector<RequiredOneof> oneofs;

  // Finds the rules of a field; nullptr when nothing is demanded of it.
  const FieldRules* Find(const wire::Field& field) const;
};

// Compiles the rules of a type. `types` has to be where it comes from.
std::unique_ptr<MessageRules> CompileRules(const wire::Type& type, wire::Types& types);

// Returns the value that an absent field without presence has.
wire::Value DefaultOf(const wire::Field& field);
// Reads the value in a wrapper; the value itself when the rules are not about wrappers.
wire::Value Unwrapped(const ValueRules& rules, const wire::Value& value);

}  // namespace xdscope::rules
