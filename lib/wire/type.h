// What a reader of messages in place has to know of their types: tables compiled from descriptors, one row per field.
// Each is compiled when it is first asked for and lives as long as its Types. Not thread-safe: the owner's thread alone
// uses them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "lib/schema/schema.h"

namespace google::protobuf {
class Descriptor;
class EnumDescriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace xdscope::wire {

class Type;
class Types;

enum class FieldKind : std::uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kSint32,
  kSint64,
  kFixed32,
  kFixed64,
  kSfixed32,
  kSfixed64,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kMessage,
};

// Types with a JSON form of their own, and the two TypedStructs.
enum class WellKnown : std::uint8_t {
  kNone,
  kAny,
  kDuration,
  kTimestamp,
  kStruct,
  kValue,
  kListValue,
  kFieldMask,
  kEmpty,
  kWrapper,
  kTypedStruct,
};

// Says whether a field's value must not be shown: see SensitivityOf().
enum class Sensitive : std::uint8_t {
  kNo,
  kYes,        // never; nor anything below the field
  kByLabel,    // where the message's Label names a secret
  kByEntry,    // a map: the values whose keys name a secret, see SecrecyOfKey()
  kKeysToo,    // a map: where it is not shown, its keys are not shown either
  kOfSecrets,  // the resources of a response: where its Label is the type of Secrets, they count as such
};

// How a message says what its values are: a header by its name, a response by its type.
struct Label {
  std::array<std::uint8_t, 4> path = {};  // numbers of the fields that lead to the text; 0: no more
  bool is_type = false;                   // the text is a type URL; else the name of a header or query parameter

  bool exists() const { return path[0] != 0; }
};

// One value of an enum, as its table has it.
struct EnumValue {
  std::int32_t number;
  std::string_view name;
};

// A row of a Type: what it takes to read a field, ready at hand, so that no reader asks the descriptor.
struct Field {
  std::uint32_t number = 0;
  FieldKind kind = FieldKind::kInt32;
  Sensitive sensitive = Sensitive::kNo;
  bool public_in_secret = false;  // is shown inside an SDS Secret, where all else is hidden
  bool repeated = false;          // maps too
  bool map = false;               // the message is the map's entry: key is field 1, value field 2
  bool has_presence = false;      // absent differs from the default value: messages, oneof members, `optional`
  bool utf8 = false;              // a string that has to be UTF-8: those of proto3 files
  bool closed_enum = false;       // proto2: numbers outside the enum count as unknown fields
  std::int16_t index = 0;         // its place in Type::fields()
  std::int16_t oneof = -1;        // index of its (real) oneof in the message, or -1
  std::string_view name;          // as in the .proto file
  std::string_view json_name;
  const google::protobuf::FieldDescriptor* descriptor = nullptr;

  // Returns the type of the value, compiled at the first call. Demands kMessage.
  const Type& message() const { return message_ != nullptr ? *message_ : Compiled(); }
  // Returns the name of a number, empty when the enum has none for it; of several the first declared. Demands kEnum.
  std::string_view EnumName(std::int32_t value) const;
  // Returns true for kinds that may stand packed in one length-delimited field.
  bool packable() const { return kind < FieldKind::kString; }

 private:
  friend class Types;
  const Type& Compiled() const;
  Types* types_ = nullptr;
  mutable const Type* message_ = nullptr;
  mutable const std::vector<EnumValue>* values_ = nullptr;  // kEnum: once asked for
};

// The table of one message.
class Type {
 public:
  std::string_view full_name() const { return full_name_; }
  WellKnown well_known() const { return well_known_; }
  const google::protobuf::Descriptor& descriptor() const { return *descriptor_; }
  // Returns true for an SDS Secret.
  bool is_secret() const { return is_secret_; }
  const Label& label() const { return label_; }
  // Returns true when the message has a sensitive field, by its own descriptor or by the embedded one: what counts as
  // an unknown field may be that one.
  bool guards_unknown() const { return guards_unknown_; }
  // Returns the fields in ascending order of their numbers.
  std::span<const Field> fields() const { return fields_; }
  // Finds a field; nullptr when the type has none of this number. Groups of proto2 count as unknown.
  const Field* Find(std::uint32_t number) const {
    if (number >= dense_.size()) return FindSparse(number);
    // Every field of every message is looked for here, so what the table promises is not checked once more.
    const std::int16_t index = dense_.data()[number];
    return index < 0 ? nullptr : fields_.data() + index;
  }
  // Finds a field by its name in the .proto file or its JSON name; nullptr when there is none.
  const Field* Find(std::string_view name) const;

 private:
  friend class Types;
  const Field* FindSparse(std::uint32_t number) const;

  std::string_view full_name_;
  WellKnown well_known_ = WellKnown::kNone;
  bool is_secret_ = false;
  bool guards_unknown_ = false;
  Label label_;
  const google::protobuf::Descriptor* descriptor_ = nullptr;
  std::vector<Field> fields_;
  std::vector<std::int16_t> dense_;  // by number, for numbers below 128
};

// All types of one Schema. The Schema must live longer.
class Types {
 public:
  explicit Types(const schema::Schema& schema) : schema_(&schema) {}
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  // Finds the table of a message by its full name or by a type URL with any prefix; nullptr when the schema has none.
  const Type* Find(std::string_view name_or_url);
  // Says for a reader that the schema has no such type, and which name comes nearest: "unknown type a.B (nearest:
  // a.C)". To search takes a millisecond, so each name is searched once, and only for a text that is shown; and since a
  // server may send a million names, names beyond the first kMostSearched are not searched at all.
  std::string WhyUnknown(std::string_view name_or_url);
  static constexpr std::size_t kMostSearched = 200;
  // Returns the table of a message of the Schema.
  const Type& Get(const google::protobuf::Descriptor& descriptor);
  // Returns true when a secret may stand in a message of this type, at any depth: it leads to a sensitive field, or to
  // an Any or a TypedStruct, which hold anything. Found out once for each type.
  bool MayHoldSecrets(const Type& type);
  const schema::Schema& schema() const { return *schema_; }

 private:
  friend struct Field;
  std::unique_ptr<Type> Compile(const google::protobuf::Descriptor& descriptor);
  Field CompileField(const google::protobuf::FieldDescriptor& descriptor);
  void Guard(Type* type);
  bool Hides(const google::protobuf::FieldDescriptor& embedded);
  const std::vector<EnumValue>& Values(const google::protobuf::EnumDescriptor& descriptor);

  const schema::Schema* schema_;
  absl::flat_hash_map<const google::protobuf::Descriptor*, std::unique_ptr<Type>> types_;
  absl::node_hash_map<const google::protobuf::EnumDescriptor*, std::vector<EnumValue>> enums_;  // by number
  absl::flat_hash_map<std::string, const Type*> by_name_;  // of types that there are: unknown names come from strangers
  absl::flat_hash_map<std::string, std::string> nearest_;  // of the names that were searched
  absl::flat_hash_map<const Type*, bool> may_hold_secrets_;
};

}  // namespace xdscope::wire
