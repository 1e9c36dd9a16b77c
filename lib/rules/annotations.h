// What the API itself says of its fields, messages, files and enum values: deprecated, disallowed by default, work in
// progress. The annotations of a type are read when it is first seen. [XDS-V130 to V132; reference/validation.md 3.1]
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/encode/visit.h"
#include "lib/rules/check.h"
#include "lib/wire/type.h"

namespace google::protobuf {
class EnumValueDescriptor;
}  // namespace google::protobuf

namespace xdscope::rules {

// What the API says of a field.
struct FieldAnnotations {
  bool deprecated = false;
  bool disallowed = false;  // deprecated, and refused by default
  bool in_progress = false;
};
FieldAnnotations AnnotationsOf(const google::protobuf::FieldDescriptor& field);

// Tells whether a message, or its whole file, is marked as work in progress.
bool IsInProgress(const google::protobuf::Descriptor& message);

// Tells whether a value of an enum is refused by default.
bool IsDisallowed(const google::protobuf::EnumValueDescriptor& value);

class Annotations {
 public:
  // Reports what one message uses that is annotated; not what those below it do.
  void Check(const encode::Visited& at, Context& context);

 private:
  // An annotated field, or one of an enum with annotated values.
  struct Row {
    const wire::Field* field;
    FieldAnnotations of_field;
    std::vector<std::int32_t> deprecated_values;
    std::vector<std::int32_t> disallowed_values;
  };
  struct Table {
    bool in_progress = false;  // the message, or the whole file
    std::vector<Row> rows;     // in ascending order of the fields' numbers
  };

  static Table Compile(const wire::Type& type);
  static Row CompileField(const wire::Field& field);
  const Table& TableOf(const wire::Type& type);
  static void Used(const encode::Visited& at, const Row& row, const wire::Present& present, Context& context);
  static void Value(const Place& place, const Row& row, std::int32_t number, Context& context);

  absl::flat_hash_map<const wire::Type*, std::unique_ptr<Table>> tables_;
};

}  // namespace xdscope::rules
