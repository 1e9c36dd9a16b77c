// The fields of one protobuf message as they stand in its bytes: a cursor that knows the wire format and nothing else
// (no schema, no names). Everything that reads protobuf in place stands on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xdscope::base {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// A number that was read, and the place behind it; nullptr where it could not be read. It comes back in two registers:
// a place to put it would have to be on the stack, guarded, in all that reads fields.
struct ReadNumber {
  const char* after = nullptr;
  std::uint64_t value = 0;
};

// Reads a varint at `at`, not beyond `end`. It cannot be read where it is cut off or longer than ten bytes. Bits above
// 64 are dropped, as protobuf does.
ReadNumber ReadVarintSlow(const char* at, const char* end);

// Reads the same where one byte is the usual case. Returns the place after it, or nullptr.
inline const char* ReadVarint(const char* at, const char* end, std::uint64_t* value) {
  if (at < end && static_cast<signed char>(*at) >= 0) {
    *value = static_cast<std::uint64_t>(*at);
    return at + 1;
  }
  const ReadNumber read = ReadVarintSlow(at, end);
  *value = read.value;
  return read.after;
}

// Reads a field's tag: at most five bytes, bits above 32 dropped, as protobuf's own parser does.
ReadNumber ReadTagSlow(const char* at, const char* end);

inline const char* ReadTag(const char* at, const char* end, std::uint32_t* tag) {
  if (at < end && static_cast<signed char>(*at) >= 0) {
    *tag = static_cast<std::uint32_t>(*at);
    return at + 1;
  }
  const ReadNumber read = ReadTagSlow(at, end);
  *tag = static_cast<std::uint32_t>(read.value);
  return read.after;
}

// Reads the length of a length-delimited field: at most five bytes, at most 2^31 - 17 (protobuf's limit), and not more
// than what is left of the input.
ReadNumber ReadLengthSlow(const char* at, const char* end);

inline const char* ReadLength(const char* at, const char* end, std::size_t* length) {
  const std::ptrdiff_t left = end - at;
  if (left > 0 && static_cast<signed char>(at[0]) >= 0) {
    if (static_cast<signed char>(at[0]) >= left) return nullptr;
    *length = static_cast<std::size_t>(at[0]);
    return at + 1;
  }
  if (left > 1 && static_cast<signed char>(at[1]) >= 0) {  // up to 16 kB: most messages
    *length = (static_cast<unsigned char>(at[0]) & 0x7FU) | static_cast<std::size_t>(at[1]) << 7;
    return static_cast<std::ptrdiff_t>(*length) <= left - 2 ? at + 2 : nullptr;
  }
  const ReadNumber read = ReadLengthSlow(at, end);
  *length = read.value;
  return read.after;
}

// Reads a little-endian number that need not be aligned. Demands that 4 (8) bytes are there.
std::uint32_t LoadFixed32(const char* at);
std::uint64_t LoadFixed64(const char* at);

// A cursor over the fields of a message. After Next() returned true the accessors describe the current field. A group
// is one field whose bytes() are what stands between its tags. The cursor stops for good at the first malformed byte.
//
//   FieldReader fields(bytes);
//   while (fields.Next()) if (fields.number() == 1) …
//   if (!fields.ok()) …
class FieldReader {
 public:
  // How deep groups may nest, as in protobuf's own parser.
  static constexpr int kMaxGroupDepth = 100;

  // Lets `group_depth` groups nest here, at most kMaxGroupDepth.
  explicit FieldReader(std::string_view bytes, int group_depth = kMaxGroupDepth)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), group_depth_(group_depth) {}

  // Moves to the next field. Returns false at the end of the message and at malformed bytes.
  bool Next();

  // Returns false once malformed bytes were met: a cut-off or overlong varint or length, field number 0, an
  // unbalanced or too deeply nested group, a reserved wire type.
  bool ok() const { return ok_; }
  // Says where the field that Next() found (or could not read) begins, from the start of the message.
  std::size_t offset() const { return static_cast<std::size_t>(field_ - begin_); }

  std::uint32_t number() const { return number_; }
  WireType type() const { return type_; }
  // Returns the raw value of a kVarint, kFixed32 or kFixed64, else 0.
  std::uint64_t value() const { return value_; }
  // Returns the payload of kBytes, what is inside the group of kStartGroup, else nothing.
  std::string_view bytes() const { return bytes_; }
  // Returns the whole field, tag included, as it stands in the message.
  std::string_view raw() const { return {field_, static_cast<std::size_t>(at_ - field_)}; }

  // Returns true, and the payload, when the current field is `number` with length-delimited bytes.
  bool Is(std::uint32_t number, std::string_view* bytes) const {
    if (number_ != number || type_ != WireType::kBytes) return false;
    *bytes = bytes_;
    return true;
  }

 private:
  bool Fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }
  bool ReadValue();
  bool ReadVarintValue();
  bool ReadBytes();
  bool ReadFixed();
  bool SkipGroup();

  const char* at_;
  const char* end_;
  const char* begin_ = at_;
  const char* field_ = at_;
  int group_depth_;
  std::uint32_t number_ = 0;
  WireType type_ = WireType::kVarint;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
};

// Every reading of a message runs through these millions of times, so they are inline.

inline bool FieldReader::Next() {
  if (at_ == end_) return false;
  field_ = at_;
  std::uint32_t tag = 0;
  const char* after = ReadTag(at_, end_, &tag);
  if (after == nullptr) return Fail();
  at_ = after;
  number_ = tag >> 3;
  type_ = static_cast<WireType>(tag & 7);
  if (number_ == 0) return Fail();
  value_ = 0;
  bytes_ = {};
  return ReadValue();
}

inline bool FieldReader::ReadValue() {
  if (type_ == WireType::kBytes) return ReadBytes();
  if (type_ == WireType::kVarint) return ReadVarintValue();
  return type_ == WireType::kStartGroup ? SkipGroup() : ReadFixed();
}

inline bool FieldReader::ReadBytes() {
  std::size_t length = 0;
  const char* after = ReadLength(at_, end_, &length);
  if (after == nullptr) return Fail();
  bytes_ = {after, length};
  at_ = after + length;
  return true;
}

inline bool FieldReader::ReadVarintValue() {
  const char* after = ReadVarint(at_, end_, &value_);
  if (after == nullptr) return Fail();
  at_ = after;
  return true;
}

// Returns the payload of the last length-delimited field `number` of a well-formed message; nullopt when there is none.
std::optional<std::string_view> FindBytes(std::string_view message, std::uint32_t number);

// These write the parts of messages that are put together by hand.
void AppendVarint(std::string* out, std::uint64_t value);
void AppendTag(std::string* out, std::uint32_t number, WireType type);
void AppendBytes(std::string* out, std::uint32_t number, std::string_view bytes);

// Returns true when `text` is UTF-8 as protobuf wants it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace xdscope::base
