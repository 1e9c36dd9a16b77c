// A place in a decoded message: a type and the bytes of one message of that type. Only a Message and the values of
// another View make one, so its bytes have passed Decode() and reading through it cannot fail. It owns nothing: the
// bytes and the Types must outlive it.
//
// Value and Present are plain rows, which readers fill at every field of every message: whoever fills one by hand, as
// those do that need the default of an absent field, vouches for the bytes of a message in it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/fields.h"
#include "lib/base/resource_wrapper.h"
#include "lib/wire/type.h"

namespace xdscope::wire {

struct Value;
struct Present;
class Fields;

class View {
 public:
  const Type& type() const { return *type_; }
  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

  // Finds the value of a singular field; nullopt when it is not set. A field that the type does not have is never set.
  std::optional<Value> Get(const Field& field) const;
  std::optional<Value> Get(std::uint32_t number) const;
  std::optional<Value> Get(std::string_view name) const;
  // Finds the text or bytes of a singular field, empty when it is not set.
  std::string_view GetText(std::uint32_t number) const;
  std::string_view GetText(std::string_view name) const;
  // Finds a field, repeated ones too; nullopt when it does not stand there.
  std::optional<Present> Find(std::string_view name) const;

 private:
  friend class Fields;
  friend class Message;
  friend struct Value;
  View(const Type& type, std::string_view bytes) : type_(&type), bytes_(bytes) {}

  const Type* type_;
  std::string_view bytes_;
  const Fields* fields_ = nullptr;  // where they are known already: see Fields::Of()
};

// One value of a field of a View. Which accessor is right follows from field->kind.
struct Value {
  const Field* field = nullptr;
  std::uint64_t bits = 0;  // numbers: sign-extended to 64 bits (zigzag undone); float, double: their bits
  std::string_view bytes;  // strings, bytes, messages

  std::int64_t AsInt() const { return static_cast<std::int64_t>(bits); }  // kInt…, kSint…, kSfixed…, kEnum
  std::uint64_t AsUint() const { return bits; }                           // kUint…, kFixed…
  bool AsBool() const { return bits != 0; }
  float AsFloat() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
  double AsDouble() const { return std::bit_cast<double>(bits); }
  std::string_view AsText() const { return bytes; }  // kString, kBytes
  View AsMessage() const { return {field->message(), bytes}; }
  // Returns true for the value that an absent field without presence has: 0, false, "", the enum's 0.
  bool IsDefault() const { return bits == 0 && bytes.empty(); }
};

// A field that is present in a message: where its occurrences begin and end on the wire, and what the last one says.
struct Present {
  const Field* field;
  const char* first;    // the tag of its first occurrence
  const char* end;      // behind its last occurrence
  const char* payload;  // of the last occurrence, up to `end`; nullptr: it is a number
  std::uint64_t bits;   // of the last occurrence, as in Value
};
static_assert(std::is_trivially_default_constructible_v<Present>, "Fields has many, and uses few");

// Which known fields a message has, in ascending order of their numbers. Of a oneof only the member that holds; of a
// field without presence also its default value when that was written. One pass over the message, nothing below it.
class Fields {
 public:
  explicit Fields(const View& view);
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  std::span<const Present> known() const& { return {rows_, size_}; }
  std::span<const Present> known() const&& = delete;  // the rows are gone with it
  // Returns true when the message has fields that its type does not (or with another wire type).
  bool has_unknown() const { return has_unknown_; }
  // Finds a field by its number, or by its name in the .proto file or in JSON; nullptr when it is not present.
  const Present* Find(std::uint32_t number) const;
  const Present* Find(std::string_view name) const;
  // Returns the view that these were made of, for whoever asks it for many fields: it looks for them here instead of
  // reading the message each time. It must not outlive these.
  View Of(View view) const {
    view.fields_ = this;
    return view;
  }

 private:
  // Finds or makes the row of a field that is not the last one's.
  Present& Row(const Field& field, const char* tag);
  Present& Insert(const Field& field, const char* tag);
  void DropOneof(std::int16_t oneof);

  static constexpr std::size_t kInline = 24;
  std::size_t size_ = 0;
  bool has_unknown_ = false;
  std::vector<Present> more_;  // when the inline rows do not suffice
  std::array<Present, kInline> inline_;
  Present* rows_ = inline_.data();
};

// A cursor over the values of one present field, packed or not, in the order of the wire.
//
//   Elements elements(present);
//   while (elements.Next()) use(elements.value());
class Elements {
 public:
  explicit Elements(const Present& present);
  bool Next();
  const Value& value() const { return value_; }

 private:
  void NextPacked();
  bool InEnum() const;

  const Field* field_;
  base::FieldReader rest_;
  std::string_view packed_;  // what is left of a packed run
  Value value_;
};

// Returns the value of a present singular field: the last that the wire has.
inline Value Single(const Present& present) {
  const std::size_t size = present.payload == nullptr ? 0 : static_cast<std::size_t>(present.end - present.payload);
  return {present.field, present.bits, {present.payload, size}};
}

// Reads the two fields of a google.protobuf.Any.
base::AnyView PartsOf(const View& any);

// One entry of a map. An absent key or value has its default; `value.field` is always set.
struct MapEntry {
  Value key;
  Value value;
};

// Returns the entries of a map, sorted by key (text by bytes, numbers by value); of equal keys the last one.
absl::InlinedVector<MapEntry, 4> SortedMap(const Present& present);
// Tells whether an entry's key comes before that of another entry of the same map.
bool KeyLess(const MapEntry& a, const MapEntry& b);
// Spells a map's key as JSON does: text as it is, numbers and booleans as text.
std::string KeyText(const Value& key);

// Returns the member of a google.protobuf.Value that is set; nullopt when there is none.
std::optional<Value> KindOf(const View& json_value);

// An unknown field as it stands; its members mean what FieldReader's accessors of the same names do.
struct UnknownField {
  std::uint32_t number;
  base::WireType type;
  std::uint64_t value;
  std::string_view bytes;
  std::string_view raw;  // the whole field, tag included
};
std::vector<UnknownField> UnknownFields(const View& view);

// For whoever reads a View's bytes one occurrence after the other, to write them anew. Finds the field of `type` on
// which the reader stands; nullptr when it counts as unknown there.
const Field* KnownField(const Type& type, const base::FieldReader& reader);
// Returns the value of a known field on which the reader stands. Demands that it is not packed.
Value ValueOf(const Field& field, const base::FieldReader& reader);
// Returns 4 or 8 for kinds of fixed width, else 0.
std::size_t FixedWidth(FieldKind kind);

// Tells whether two messages say the same: the order of fields and maps, packing and written defaults do not matter;
// messages inside `Any` are compared likewise when `types` knows them (else by bytes). Unknown fields count, in their
// order.
bool Equal(const View& a, const View& b, Types& types);
// Returns a number that is the same for equal messages, and most likely another one for others.
std::uint64_t Digest(const View& view, Types& types);

}  // namespace xdscope::wire
